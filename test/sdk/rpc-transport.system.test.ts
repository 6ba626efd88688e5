/** viem over the RPC proxy of the local service: fewer requests than the ten that a client has in a minute. */
import {
  ContractFunctionRevertedError,
  createPublicClient,
  custom,
  encodeErrorResult,
  formatEther,
  type Hex,
  type PublicClient,
  parseAbi,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, rpcTransport } from '../../client/sdk/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { type Service, startService } from '../contract/service.ts';
import { CALLBACK, revertingCode } from '../evm/reverting-code.ts';
import { respondJson, startLoopback } from '../pipeline/loopback.ts';

const token = {
  address: contracts.alpha,
  abi: parseAbi([
    'function totalSupply() view returns (uint256)',
    'function transfer(address to, uint256 amount) returns (bool)',
  ]),
} as const;

const errors = parseAbi([
  'function ask() view returns (uint256)',
  'error Refused(uint256 code)',
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData)',
]);
const contract = { address: `0x${'c1'.repeat(20)}`, abi: errors } as const;

describe('viem with rpcTransport', () => {
  let service: Service;
  let reader: PublicClient;
  beforeAll(async () => {
    service = await startService({ chain: 'local', env: { UPSTREAM_TIMEOUT_MS: '8000' } });
    const client = createClient({ baseUrl: service.local.url });
    reader = createPublicClient({ transport: custom(rpcTransport(client, 'local'), { retryCount: 0 }) });
  });
  afterAll(() => service?.local.close());
  const revertWith = (data: Hex) =>
    service.local.chain?.rpc('anvil_setCode', [contract.address, revertingCode(data)]);

  it('reads the chain, a balance and a contract', async () => {
    expect(await reader.getChainId()).toBe(31_337);
    expect(Number(formatEther(await reader.getBalance({ address: DEPLOYER })))).toBeGreaterThan(1);
    const supply = await service.local.chain?.rpc('eth_call', [
      { to: token.address, data: '0x18160ddd' },
      'latest',
    ]);
    expect(await reader.readContract({ ...token, functionName: 'totalSupply' })).toBe(BigInt(String(supply)));
  });

  it('reports a revert as one, with its reason', async () => {
    const args = [token.address, 2n ** 255n] as const;
    const call = reader.simulateContract({ ...token, functionName: 'transfer', args });
    const error = await call.then(
      () => undefined,
      (thrown) => thrown.walk((cause: unknown) => cause instanceof ContractFunctionRevertedError),
    );
    expect(error).toMatchObject({ reason: expect.stringContaining('ds-math-sub-underflow') });
  });

  it('decodes a custom error that a contract reverts with', async () => {
    await revertWith(encodeErrorResult({ abi: errors, errorName: 'Refused', args: [7n] }));
    const call = reader.readContract({ ...contract, functionName: 'ask' });
    const error = await call.then(
      () => undefined,
      (thrown) => thrown.walk((cause: unknown) => cause instanceof ContractFunctionRevertedError),
    );
    expect(error).toMatchObject({ data: { errorName: 'Refused', args: [7n] } });
  });

  it('looks up data that a contract requires from outside the chain (CCIP-Read)', async () => {
    const gateway = await startLoopback(respondJson({ data: '0x2a' }));
    const urls = [`${gateway.url}/{sender}/{data}`];
    const args = [contract.address, urls, '0x1234', CALLBACK, '0x'] as const;
    await revertWith(encodeErrorResult({ abi: errors, errorName: 'OffchainLookup', args }));

    expect(await reader.readContract({ ...contract, functionName: 'ask' })).toBe(42n);
    expect(gateway.requests).toEqual([`/${contract.address}/0x1234`]);
    await gateway.close();
  });

  it('cannot send transactions', async () => {
    const sent = reader.sendRawTransaction({ serializedTransaction: '0x02' });
    await expect(sent).rejects.toThrow('Method not allowed: eth_sendRawTransaction');
  });
});
