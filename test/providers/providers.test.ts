import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSimulatedProvider } from '../../local/provider/index.ts';
import { coinpaprika } from '../../shared/providers/coinpaprika/index.ts';
import { providerOf, providers } from '../../shared/providers/index.ts';
import { almanac } from './almanac/index.ts';
import { startAlmanac } from './almanac/server.ts';
import { testProvider } from './conformance.ts';

testProvider({
  provider: coinpaprika,
  start: () => startSimulatedProvider({ plan: 'paid' }),
  coinId: 'btc-bitcoin',
});

testProvider({ provider: almanac, start: () => startAlmanac('btc-bitcoin'), coinId: 'btc-bitcoin' });

describe('the list of providers', () => {
  it('has each once, and somebody for everything that the routes and jobs ask for', () => {
    expect(new Set(providers.map(({ name }) => name)).size).toBe(providers.length);
    for (const offer of ['ticker', 'tickers', 'candles', 'prices', 'coins'] as const) {
      expect(providerOf(offer)[offer]).toBeTypeOf('function');
    }
  });
});

describe('a provider’s name', () => {
  /** The places in which it may stand: its own folder, the list, its settings, the client's list, and the one that plays it. */
  const allowed =
    /^(shared\/providers\/(index\.ts|coinpaprika\/)|shared\/platform\/environment\.ts|client\/commands\/providers|local\/provider\/)/;

  it('stands in no production code but where it belongs', () => {
    const root = join(import.meta.dirname, '../..');
    const files = globSync(
      '{functions,shared,infra,registry-layer,client,local,scripts}/**/*.{ts,mjs,html}',
      { cwd: root },
    );
    const production = files.filter((file) => !/\.test\.ts$|testing\.ts$/.test(file) && !allowed.test(file));

    expect(production.length).toBeGreaterThan(200);
    expect(production.filter((file) => /coinpaprika/i.test(readFileSync(join(root, file), 'utf8')))).toEqual(
      [],
    );
  });
});
