import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../scripts/history.ts';
import { runHere } from '../run-here.ts';
import { startWorld, type World } from './world.ts';

describe('history.ts show', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ listed: 20 });
  });
  afterEach(() => world.close());

  const cheapest = () =>
    world.sources.binance.markets.find(({ trap }) => trap === 'multiplied')?.base.replace('1000', '');
  const show = (coin: string) =>
    runHere(main, ['show', coin, '--endpoint', world.s3.url, '--bucket', 'bucket']);

  it('prints each market of a symbol or a coin, with the coin that it has and the one that the provider states', async () => {
    await world.runs(1);
    const { markets } = JSON.parse((await show('btc')).stdout);
    expect(markets[0]).toMatchObject({
      ...{ exchange: 'coinbase', market: 'BTC-USD', stated: 'btc-bitcoin' },
      mapped: { coin: 'btc-bitcoin', misses: 0 },
    });
    const [multiple] = JSON.parse((await show(`1000${cheapest()}`)).stdout).markets;
    expect(multiple).toMatchObject({ exchange: 'binance', mapped: null, stated: expect.any(String) });

    const shown = JSON.parse((await show('btc-bitcoin')).stdout);
    expect(shown.markets[0].mapped).toMatchObject({
      coin: 'btc-bitcoin',
      since: expect.stringMatching(/^2026-11-21T12:10:/),
    });
    expect(shown.tickers[0]).toMatchObject({ id: 'btc-bitcoin', rank: 1 });
    expect(await show('NOSUCH')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing is stored of NOSUCH: npx coinsearch finds ids'),
    });
  });

  it('says so if there is no map, or it cannot be read', async () => {
    expect(await show('btc')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing is stored of btc, and no market is mapped yet'),
    });
    world.s3.failing = '/bucket/sources/map.v3';
    expect(await show('btc')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^show failed: /) });
  });
});
