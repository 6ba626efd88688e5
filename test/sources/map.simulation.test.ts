import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../scripts/sources.ts';
import { runHere } from '../run-here.ts';
import { startWorld, type World } from './world.ts';

describe('sources.ts map', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ listed: 20 });
  });
  afterEach(() => world.close());

  const run = (...args: string[]) =>
    runHere(main, [...args, '--endpoint', world.s3.url, '--bucket', 'bucket']);

  it('prints the markets of each coin, the best-ranked first', async () => {
    await world.runs(3);
    const { stdout, code } = await run('map');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^\d+ coins have a market \(coinbase \d+, kraken \d+, binance \d+\), published at 2026-11-21T12:30/,
    );
    expect(stdout.split('\n')[1]).toMatch(
      /^btc-bitcoin +coinbase BTC-USD, kraken XXBTZUSD, binance BTCUSDC$/,
    );

    const { coins } = JSON.parse((await run('map', '--json')).stdout);
    expect(coins[0].markets[0]).toEqual({
      ...{ exchange: 'coinbase', market: 'BTC-USD', quote: 'USD' },
      since: expect.stringMatching(/^2026-11-21T12:30:/),
    });
  });

  it('explains each market of a symbol or a coin, and why it is mapped or not', async () => {
    await world.runs(2);
    expect((await run('map', '--explain', 'btc')).stdout).toMatch(
      /^coinbase BTC-USD \(\$[\d,.]+, \$[\d,.]+ in 24 hours\) trades no coin that is known: no coin has agreed for long enough: 3 snapshots/,
    );
    await world.runs(1);
    const { stdout } = await run('map', '--explain', 'btc-bitcoin');
    expect(stdout).toContain('trades btc-bitcoin since 2026-11-21T12:30:');
    expect(stdout).toMatch(
      /\n {2}btc-bitcoin \(rank 1, \$[\d,.]+, \$[\d,.]+ in 24 hours\) agrees within 2 % since .*, 3 times in a row/,
    );
    expect((await run('map', '--explain', 'NOSUCH')).stdout).toMatch(/^No exchange has a market of NOSUCH/);
  });

  it('says so if there is no map, nothing to read, or nothing to do', async () => {
    expect(await run('map')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no map yet'),
    });
    world.s3.failing = '/bucket/sources/map.v2';
    expect(await run('map')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The map cannot be read'),
    });
    expect(await run('mop')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Unknown command: mop'),
    });
  });
});
