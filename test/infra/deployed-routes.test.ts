import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { stageConfig, stageNames } from '../../infra/config.ts';
import { endpointsOf, templateOf } from './synthesized.ts';

const keysOf = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `marketdata/${name}`]));
const pathsWith = (...secrets: string[]) =>
  endpointsOf(templateOf('prod', { secretNames: keysOf(...secrets) })).map(({ routeKey }) =>
    routeKey.replace(/^[A-Z]+ /, ''),
  );
const forEverybody = routes.filter((route) => !('requestSecrets' in route)).map(({ path }) => path as string);
const uniswap = ['/api/uniswap/quote', '/api/uniswap/approve', '/api/uniswap/swap'];

describe('a stage', () => {
  test('without the secret of any chain has no protocol route', () => {
    expect(pathsWith().sort()).toEqual([...forEverybody].sort());
    expect(pathsWith('SEPOLIA_FAUCET_KEY').sort()).toEqual([...forEverybody].sort());
  });

  test('with one chain has the routes that can serve it', () => {
    expect(pathsWith('MAINNET_RPC_URL').sort()).toEqual(
      [...forEverybody, ...uniswap, '/api/rpc/{chain}'].sort(),
    );
  });

  test('has a faucet only with both the node and the key of a test network', () => {
    expect(pathsWith('SEPOLIA_RPC_URL')).not.toContain('/api/faucet/request');
    expect(pathsWith('MAINNET_RPC_URL', 'SEPOLIA_FAUCET_KEY')).not.toContain('/api/faucet/request');
    expect(pathsWith('SEPOLIA_RPC_URL', 'SEPOLIA_FAUCET_KEY')).toContain('/api/faucet/request');
  });

  test('gives a function the secrets that its route declares and the stage names, as references', () => {
    const secretNames = keysOf('SEPOLIA_RPC_URL', 'SEPOLIA_FAUCET_KEY');
    const held = endpointsOf(templateOf('prod', { secretNames })).map(
      ({ routeKey, function: { Environment } }) => [
        routeKey,
        Object.keys(secretNames).filter((name) => name in Environment.Variables),
        Environment.Variables.SEPOLIA_RPC_URL,
      ],
    );

    const reference = '{{resolve:secretsmanager:marketdata/SEPOLIA_RPC_URL:SecretString:::}}';
    expect(held).toEqual(
      expect.arrayContaining([
        ['POST /api/faucet/request', ['SEPOLIA_RPC_URL', 'SEPOLIA_FAUCET_KEY'], reference],
        ['GET /api/faucet/status/{requestId}', ['SEPOLIA_RPC_URL'], reference],
        ['POST /api/uniswap/quote', ['SEPOLIA_RPC_URL'], reference],
        ['GET /api/marketdata/ticker/{id}', [], undefined],
      ]),
    );
  });

  test('without a faucet has no alarm for it', () => {
    const names = Object.values(
      templateOf('prod', { secretNames: {} }).findResources('AWS::CloudWatch::Alarm'),
    ).map(({ Properties }) => Properties.AlarmName);

    expect(names).not.toContain('marketdata-prod-FaucetLow');
  });
});

test('the stage of local runs has every route, and belongs to no account that could be deployed to', () => {
  const { secretNames, account } = stageConfig('local');

  expect(pathsWith(...Object.keys(secretNames)).sort()).toEqual(routes.map(({ path }) => path).sort());
  expect(account).toBe('000000000000');
  expect(stageNames).not.toContain('local');
});
