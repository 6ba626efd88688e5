import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Simulated, startSimulated } from '../../local/simulated/index.ts';
import { exchangeNames, isSourceName } from '../../local/simulated/protocols.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { clientFor, coinProvider } from '../../shared/providers/index.ts';
import {
  exchanges,
  exchangesOf,
  idSource,
  ratesSources,
  tokenSources,
} from '../../shared/providers/sources.ts';
import { testProvider } from './conformance.ts';
import { spoken } from './spoken.ts';

function standIn(simulated: Simulated, { name }: { readonly name: string }) {
  if (!isSourceName(name)) throw new Error(`local/simulated has no ${name}`);
  return simulated[name];
}

testProvider({
  provider: coinProvider,
  start: async () => (await startSimulated({ plan: 'paid' })).provider,
  coinId: 'btc-bitcoin',
});

for (const { exchange, market } of spoken) {
  const provider = exchanges.get(exchange.name);
  if (provider)
    testProvider({ provider, start: async () => standIn(await startSimulated(), provider), market });
}

for (const provider of tokenSources) {
  // Traps are tokens without a price, or with none that counts.
  testProvider({ provider, start: async () => standIn(await startSimulated({ hasTraps: false }), provider) });
}

for (const provider of Object.values(ratesSources))
  testProvider({ provider, start: async () => standIn(await startSimulated(), provider) });

testProvider({ provider: idSource, start: async () => (await startSimulated()).coingecko });

describe('the list of exchanges', () => {
  it('has all that are simulated, each without a budget and at one pace, in the order of the setting', () => {
    expect([...exchanges.keys()].sort()).toEqual([...exchangeNames].sort());
    expect(spoken.map(({ exchange }) => exchange.name)).toEqual([...exchanges.keys()]);
    for (const { name, isPaid, limits } of exchanges.values())
      expect({ isPaid, per: limits.per }, name).toEqual({ isPaid: false, per: 'service' });
    const inOrder = (names: string) => exchangesOf({ CANDLE_SOURCES: names }).map(({ name }) => name);
    expect(inOrder('kraken,coinbase')).toEqual(['kraken', 'coinbase']);
    expect(inOrder('')).toEqual([]);
  });

  it('is not called by routes', () => {
    expect(exchanges.has(coinProvider.name)).toBe(false);
  });
});

describe('the provider of coins', () => {
  it('has one client for each purse of a container, whatever is fetched with it', () => {
    const environment = parseEnvironment({});
    const client = clientFor(environment, 'demand');
    expect(clientFor(environment, 'demand')).toBe(client);
    expect(clientFor(environment, 'leftover')).not.toBe(client);
    expect(clientFor(parseEnvironment({}), 'demand')).not.toBe(client);
  });
});

describe('a provider’s name', () => {
  /** The files that may name one: providers, the settings, the client's list, the simulated sources, and chains. */
  const allowed =
    /^(shared\/providers\/[\w-]+\.ts|shared\/platform\/environment\.ts|client\/commands\/sources\.ts|local\/simulated\/|shared\/chains\.ts)/;

  it.each([
    coinProvider.name,
    ...exchanges.keys(),
    ...tokenSources.map(({ name }) => name),
    ...Object.values(ratesSources).map(({ name }) => name),
  ])('%s stands in no production code but where it belongs', (name) => {
    const root = join(import.meta.dirname, '../..');
    const files = globSync(
      '{functions,shared,infra,registry-layer,client,local,scripts}/**/*.{ts,mjs,html}',
      { cwd: root },
    );
    const production = files.filter(
      (file) => !/\.test\.ts$|testing\.ts$/.test(file) && !file.includes('/dist/') && !allowed.test(file),
    );
    // A coin's id, such as bnb-binance-coin, names the coin.
    const named = new RegExp(`(?<!-)${name}`, 'i');

    expect(production.length).toBeGreaterThan(200);
    expect(production.filter((file) => named.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });
});
