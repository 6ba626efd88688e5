import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { main } from '../../scripts/history.ts';
import { exportHistory } from '../../shared/marketdata/parquet/export.ts';
import { HISTORY_PREFIX, objectNames } from '../../shared/marketdata/store/names.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { objectsOf } from '../../shared/platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { runHere } from '../run-here.ts';
import { type Candle, coldStart, fetchChart } from './chart.ts';
import {
  BUCKET,
  daysBefore,
  exactCandle,
  objectPath,
  putCoin,
  putDays,
  putMonth,
  storedCandle,
} from './stored.ts';
import { startCold, TODAY, useWorld } from './world.ts';

const [BTC, ETH] = ['btc-bitcoin', 'eth-ethereum'];
const world = useWorld({ now: TODAY + 4 * HOUR_MS, plan: 'free' });
let s3: S3Server;
let folder: string;
beforeEach(() => {
  ({ s3 } = world());
  folder = mkdtempSync(join(inject('runFolder'), 'parquet-'));
});

const run = (...options: string[]) =>
  runHere(main, ['export', '--to', folder, '--endpoint', s3.url, '--bucket', BUCKET, ...options]);

const filesWith = (ending: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .sort();
const files = () => filesWith('.parquet');
const unfinished = () => filesWith('.unfinished');

async function rowsOf(names: readonly string[] = files()) {
  const all = names.map((name) => {
    const { buffer, byteOffset, byteLength } = readFileSync(join(folder, name));
    return parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer });
  });
  return (await Promise.all(all)).flat();
}

/** Candles that were fetched for a coin. */
function putFetched(id: string, candles: readonly StoredCandle[]): void {
  const coverage = { from: candles[0]?.opensAt ?? 0, to: TODAY };
  putCoin(s3, id, { '24h': { candles, coverage } });
}

describe('history.ts export', () => {
  it('writes days and hours as the routes return them, without upstream requests', async () => {
    putDays(s3, BTC, daysBefore(TODAY, 300));
    const days = daysBefore(TODAY, 100, (index) => 2 + index);
    putDays(s3, ETH, days.slice(50));
    const fetched = days.slice(0, 50).map(({ opensAt }) => exactCandle(opensAt, DAY_MS, 7));
    putFetched(ETH, fetched);
    const hours = Array.from({ length: 24 * 30 }, (_, index) => {
      const made = index % 3 ? storedCandle : exactCandle;
      return made(TODAY - (index + 1) * HOUR_MS, HOUR_MS, 100 + index, { volume: index });
    });
    putMonth(s3, BTC, hours.reverse());

    const { stdout, stderr, code } = await run();
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toBe(`1,120 candles in ${folder}: 4 files written, 0 unchanged\n`);
    expect(world().provider.calls.total).toBe(0);
    expect(files()).toEqual([
      'interval=1h/year=2026/2026-08-0.parquet',
      'interval=1h/year=2026/2026-09-0.parquet',
      'interval=24h/year=2025/2025-0.parquet',
      'interval=24h/year=2026/2026-0.parquet',
    ]);

    const handler = await coldStart(s3);
    const given: unknown[] = [];
    const end = `end=${new Date(TODAY).toISOString()}`;
    for (const [id, window] of [
      [BTC, `limit=300&${end}`],
      [ETH, `limit=100&${end}`],
      ...[30, 20, 10].map((day): [string, string] => {
        const [from, to] = [day, day - 10].map((days) => new Date(TODAY - days * DAY_MS).toISOString());
        return [BTC, `interval=1h&limit=240&start=${from}&end=${to}`];
      }),
    ] as const) {
      const { body } = await fetchChart(handler, id, window);
      const { data } = body as { data: { data: Candle[] } }; // as the route's own tests check
      given.push(
        ...data.data.map(({ time_open, open, high, low, close, volume, market_cap, source, quality }) => ({
          ...{ coin_id: id, time: new Date(time_open), open, high, low, close, volume, market_cap },
          ...{ source, quality },
        })),
      );
    }
    const exported = await rowsOf();
    expect(new Set(exported.map(({ quality }) => quality))).toEqual(new Set(['exact', 'sampled']));
    expect(sorted(exported)).toEqual(sorted(given));
  });

  it('rewrites only changed periods, and keeps a month that the store has deleted', async () => {
    putDays(s3, BTC, daysBefore(TODAY, 300));
    putMonth(s3, BTC, [storedCandle(TODAY - 40 * DAY_MS, HOUR_MS, 5)]);
    await run();
    expect((await run()).stdout).toContain('301 candles in');
    expect((await run()).stdout).toContain('0 files written, 3 unchanged');

    putDays(s3, BTC, [exactCandle(TODAY - 5 * DAY_MS, DAY_MS, 9)]);
    putFetched(ETH, [exactCandle(TODAY - 290 * DAY_MS, DAY_MS, 3)]);
    s3.objects.delete(objectPath(objectNames.series('1h', BTC, TODAY - 40 * DAY_MS)));
    expect((await run()).stdout).toContain('301 candles in');
    expect((await run()).stdout).toContain('0 files written, 2 unchanged');
    expect(await rowsOf()).toHaveLength(302);
    expect(await rowsOf()).toContainEqual(expect.objectContaining({ coin_id: ETH, close: 3 * 1.1 }));
    expect(await rowsOf()).toContainEqual(
      expect.objectContaining({ time: new Date(TODAY - 5 * DAY_MS), open: 9, quality: 'exact' }),
    );
  });

  it('continues an interrupted run, and shows no file before its period is complete', async () => {
    putDays(s3, BTC, daysBefore(TODAY, 300));
    s3.failing = objectPath(objectNames.series('24h', BTC, TODAY));
    const interrupted = await run();
    expect(interrupted).toMatchObject({ code: 1, stderr: expect.stringContaining('InternalError') });
    expect(files()).toEqual(['interval=24h/year=2025/2025-0.parquet']);
    expect(unfinished()).toEqual([]);

    // What a killed run leaves.
    writeFileSync(join(folder, 'interval=24h/year=2025/2025-9.parquet.unfinished'), 'half');
    writeFileSync(join(folder, 'manifest.json.unfinished'), 'half');
    s3.failing = '';
    expect(await run()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 files written, 1 unchanged'),
    });
    expect(await rowsOf()).toHaveLength(300);
    expect(unfinished()).toEqual([]);
  });

  it('leaves no unfinished file behind if a file cannot be written', async () => {
    putDays(s3, BTC, daysBefore(TODAY, 300));
    mkdirSync(join(folder, 'interval=24h/year=2026/2026-0.parquet/x'), { recursive: true });
    expect(await run()).toMatchObject({ code: 1 });
    expect(unfinished()).toEqual([]);
  });

  it('exports some coins, one interval and candles since a date, and mixes no selections', async () => {
    putDays(s3, BTC, daysBefore(TODAY, 300));
    putDays(s3, ETH, daysBefore(TODAY, 300));
    putMonth(s3, BTC, [storedCandle(TODAY - DAY_MS, HOUR_MS, 5)]);
    const since = new Date(TODAY - 10 * DAY_MS).toISOString();
    const options = ['--coins', ETH, '--interval', '24h', '--since', since];
    expect((await run(...options)).code).toBe(0);
    const rows = await rowsOf();
    expect(rows.map(({ coin_id, time }) => [coin_id, time])).toEqual(
      daysBefore(TODAY, 10).map(({ opensAt }) => [ETH, new Date(opensAt)]),
    );
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('choose another one') });
    expect(await rowsOf()).toEqual(rows);
  });

  it('names each selected coin without stored data, in every run, and exports the rest', async () => {
    putDays(s3, BTC, daysBefore(TODAY, 3));
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await run('--coins', `${BTC},bitcoin`)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Nothing is stored of bitcoin: npx coinsearch finds ids'),
      });
    expect(await rowsOf()).toHaveLength(3);
  });

  it('names an object that cannot be opened, and exports the others', async () => {
    putDays(s3, BTC, daysBefore(TODAY, 3));
    putDays(s3, ETH, daysBefore(TODAY, 3));
    const name = objectNames.series('24h', ETH, TODAY);
    s3.objects.set(objectPath(name), Buffer.from('damaged'));
    expect(await run()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${name} cannot be opened`),
    });
    expect((await rowsOf()).map(({ coin_id }) => coin_id)).toEqual([BTC, BTC, BTC]);
    expect((await run()).code).toBe(1);
    s3.objects.delete(objectPath(name));
    putDays(s3, ETH, daysBefore(TODAY, 3));
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
    expect(await rowsOf()).toHaveLength(6);
  });

  it('is also the monthly job, which writes below exports/ of the bucket', async () => {
    putDays(s3, BTC, daysBefore(TODAY, 300));
    putMonth(s3, BTC, [storedCandle(TODAY - DAY_MS, HOUR_MS, 5)]);
    await run();
    vi.stubEnv('EXPORTS_BUCKET', BUCKET);
    const handler = await startCold(s3, () => import('../../functions/marketdata/jobs/export/handler.ts'));
    expect(await handler()).toEqual({ rows: 301, written: 3, kept: 0, missing: [], damaged: [] });
    for (const name of files()) {
      const path = `/${BUCKET}/exports/${name.split('/').map(encodeURIComponent).join('/')}`;
      expect(s3.objects.get(path), name).toEqual(readFileSync(join(folder, name)));
    }
    expect(await handler()).toMatchObject({ rows: 301, written: 0, kept: 3 });

    s3.objects.set(objectPath(objectNames.series('24h', BTC, TODAY)), Buffer.from('damaged'));
    await expect(handler()).rejects.toThrow('Damaged and not exported: days.v2/2026/');
  });

  it('splits many rows into several files, and empties files that are no longer needed', async () => {
    const coins = Array.from({ length: 20 }, (_, index) => `coin-${index}`);
    for (const id of coins) putDays(s3, id, daysBefore(TODAY, 10));
    const written = new Map<string, Uint8Array>();
    const exportIn = (rowsPerFile: number) =>
      exportHistory({
        source: objectsOf(BUCKET, HISTORY_PREFIX),
        target: {
          read: async (name) => written.get(name),
          write: async (name, bytes) => void written.set(name, Uint8Array.from(bytes)),
          complete: async () => {},
        },
        ...{ selection: { bucket: BUCKET }, bases: ['24h'], rowsPerFile },
      });
    const countsOf = () => {
      const parquet = [...written].filter(([name]) => name.endsWith('.parquet')).sort();
      const rows = parquet.map(([, { buffer }]) => parquetReadObjects({ file: buffer as ArrayBuffer }));
      return Promise.all(rows.map(async (all) => (await all).length));
    };
    expect(await exportIn(75)).toMatchObject({ rows: 200, written: 3, kept: 0, missing: [], damaged: [] });
    expect(await countsOf()).toEqual([80, 80, 40]);

    putDays(s3, 'coin-0', daysBefore(TODAY, 11));
    expect(await exportIn(1000)).toMatchObject({ rows: 201, written: 1 });
    expect(await countsOf()).toEqual([201, 0, 0]);
  });

  it.each([
    [[], 'The command is: export --to <folder>'],
    [['--to', 'x', '--interval', '7d'], '--interval takes 1h or 24h, not 7d'],
    [['--to', 'x', '--since', 'spring'], '--since takes a date'],
    [['--to', 'x', '--since', '2025-02-29'], '--since takes a date'],
  ])('used with %j exits with 2 and explains the usage', async (options, problem) => {
    const { stderr, code } = await runHere(main, ['export', '--endpoint', s3.url, ...options]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(problem) });
  });
});

function sorted(rows: readonly unknown[]): unknown[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
