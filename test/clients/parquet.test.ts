/** What `npm run history -- export` writes, as DuckDB reads it, which knows nothing of us. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalService, startLocalService } from '../../local/service.ts';
import { main } from '../../scripts/history.ts';
import { runHere } from '../run-here.ts';

/** More would meet the route's limit of requests a minute. */
const COINS = ['btc-bitcoin', 'eth-ethereum', 'usdt-tether'];
const DAY_MS = 86_400_000;
/** The first day that is not exported. */
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
/** Of one answer. */
const MAX_CANDLES = 366;
const columns = 'open, high, low, close, volume, market_cap, source, quality';
const page = readFileSync(new URL('../../docs/parquet.md', import.meta.url), 'utf8');
const [view = '', ...queries] = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => sql);

let service: LocalService;
let folder: string;
let duckDb: Awaited<ReturnType<DuckDBInstance['connect']>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parquet-'));
  const provider = { mode: 'simulated' } as const;
  service = await startLocalService({ quiet: true, provider, store: { history: true } });
  const store = ['--endpoint', service.store?.s3.url ?? '', '--bucket', service.store?.bucket ?? ''];
  const given = ['export', '--to', folder, '--coins', COINS.join(), ...store];
  expect(await runHere(main, given)).toMatchObject({ code: 0, stderr: '' });
  duckDb = await (await DuckDBInstance.create()).connect();
  await duckDb.run(view.replace('history/', `${folder}/`));
}, 180_000);
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const rowsOf = async (sql: string) => (await duckDb.runAndReadAll(sql)).getRowsJS();

interface Answer {
  readonly data: {
    readonly data: readonly (Readonly<Record<string, unknown>> & { readonly time_open: string })[];
  };
}

/** All candles of days that are over, by several requests. */
async function routeRows(id: string, interval: '24h' | '1h', from: number) {
  const stepMs = interval === '24h' ? DAY_MS : DAY_MS / 24;
  const rows: unknown[] = [];
  for (let start = from; start < TODAY; start += MAX_CANDLES * stepMs) {
    const query = new URLSearchParams({
      ...{ interval, limit: String(MAX_CANDLES), provenance: 'true' },
      start: new Date(start).toISOString(),
      end: new Date(Math.min(TODAY, start + MAX_CANDLES * stepMs)).toISOString(),
    });
    const response = await fetch(`${service.url}/api/marketdata/ohlcv/${id}?${query}`);
    expect(response.status).toBe(200);
    for (const candle of ((await response.json()) as Answer).data.data) // as the route's own tests check
      if (Date.parse(candle.time_open) < TODAY)
        rows.push([new Date(candle.time_open), ...columns.split(', ').map((name) => candle[name])]);
  }
  return rows;
}

describe('DuckDB', () => {
  it.each(COINS.flatMap((id) => [[id, '24h'] as const, [id, '1h'] as const]))(
    'reads of %s by %s just what the route gives',
    async (id, interval) => {
      const files = `read_parquet('${folder}/interval=${interval}/*/*.parquet')`;
      const rows = await rowsOf(
        `SELECT time, ${columns} FROM ${files} WHERE coin_id = '${id}' ORDER BY time`,
      );
      expect(rows.length).toBeGreaterThan(360);
      const first = rows[0]?.[0] as Date; // the column's type, which is compared below
      expect(rows).toEqual(await routeRows(id, interval, first.getTime()));
    },
    60_000,
  );

  it('finds the columns with their types, and nothing else but the names of folders', async () => {
    expect(await rowsOf('SELECT column_name, column_type FROM (DESCRIBE days)')).toEqual([
      ['coin_id', 'VARCHAR'],
      ['time', 'TIMESTAMP'],
      ...['open', 'high', 'low', 'close', 'volume', 'market_cap'].map((name) => [name, 'DOUBLE']),
      ...['source', 'quality', 'interval'].map((name) => [name, 'VARCHAR']),
      ['year', 'BIGINT'],
    ]);
  });
});

describe('the queries of the documents', () => {
  /** Closes by day, ascending. */
  const closesOf = async (id: string) => {
    const rows = await rowsOf(`SELECT time, close FROM days WHERE coin_id = '${id}' ORDER BY time`);
    return rows as [Date, number][]; // the columns' types
  };
  const closeOn = async (id: string, day: string) =>
    (await closesOf(id)).findLast(([time]) => time <= new Date(day))?.[1] ?? Number.NaN;
  /** The days of the documents lie in the last year. */
  const inLastYear = (sql: string) =>
    sql.replace(/TIMESTAMP '2026-(\d\d)-(\d\d)'/g, (_, month, day) => `TIMESTAMP '${dayOf(month, day)}'`);
  const dayOf = (month: string, day: string) => {
    const year = new Date(TODAY).getUTCFullYear();
    const text = `${year}-${month}-${day}`;
    return Date.parse(text) < TODAY ? text : `${year - 1}-${month}-${day}`;
  };
  const run = (index: number) => rowsOf(inLastYear(queries[index] ?? ''));

  it('are five', () => {
    expect(queries).toHaveLength(5);
  });

  it('tell how much two coins move together', async () => {
    const [btc, eth] = [await closesOf('btc-bitcoin'), new Map(await closesOf('eth-ethereum').then(byTime))];
    const pairs = btc.flatMap(([time, close], index) => {
      const before = btc[index - 1];
      const [a, b] = [eth.get(time.getTime()), eth.get(before?.[0].getTime() ?? 0)];
      return before && a && b ? [[Math.log(close / before[1]), Math.log(a / b)] as const] : [];
    });
    const mean = (of: (pair: readonly [number, number]) => number) =>
      pairs.reduce((sum, pair) => sum + of(pair), 0) / pairs.length;
    const [x, y] = [mean(([one]) => one), mean(([, other]) => other)];
    const deviation = Math.sqrt(mean(([one]) => (one - x) ** 2) * mean(([, other]) => (other - y) ** 2));
    const correlation = mean(([one, other]) => (one - x) * (other - y)) / deviation;
    expect(await run(0)).toEqual([
      ['btc-bitcoin', 'eth-ethereum', expect.closeTo(correlation, 9), BigInt(pairs.length)],
    ]);
  });

  it('tell the largest drawdown of each coin, and its day', async () => {
    const drawdowns = await Promise.all(
      COINS.map(async (id) => {
        let peak = 0;
        const below = (await closesOf(id)).map(([time, close]): [number, Date] => {
          peak = Math.max(peak, close);
          return [close / peak - 1, time];
        });
        return [id, ...below.reduce((lowest, one) => (one[0] < lowest[0] ? one : lowest))];
      }),
    );
    expect(await run(1)).toEqual(drawdowns.toSorted((a, b) => Number(a[1]) - Number(b[1])));
  });

  it('tell what a portfolio was worth', async () => {
    const dates = [dayOf('03', '31'), dayOf('06', '30'), dayOf('09', '30')].sort();
    const worth = dates.map(async (date) => [
      new Date(date),
      expect.closeTo(
        0.5 * (await closeOn('btc-bitcoin', date)) + 4 * (await closeOn('eth-ethereum', date)),
        6,
      ),
      new Date(date),
    ]);
    expect(await run(2)).toEqual(await Promise.all(worth));
  });

  it('tell the cost basis of purchases, and their gain', async () => {
    const [first, second] = [
      await closeOn('btc-bitcoin', dayOf('02', '10')),
      await closeOn('btc-bitcoin', dayOf('07', '01')),
    ];
    const cost = 0.1 * first + 0.2 * second;
    const now = (await closesOf('btc-bitcoin')).at(-1)?.[1] ?? Number.NaN;
    const [btc, eth] = (await run(3)).map((row) =>
      row.map((value) => (typeof value === 'string' ? value : Number(value))),
    );
    expect(btc).toEqual([
      'btc-bitcoin',
      ...[0.3, cost, cost / 0.3, 0.3 * now - cost].map((one) => expect.closeTo(one, 6)),
    ]);
    expect(eth?.[2]).toBeCloseTo(3 * (await closeOn('eth-ethereum', dayOf('05', '20'))), 6);
  });

  it('tell the return of each month', async () => {
    const rows = await run(4);
    const days = await rowsOf('SELECT count(*) FROM days');
    expect(rows.reduce((sum, row) => sum + Number(row[4]), 0)).toBe(Number(days[0]?.[0]));
    const of = `coin_id = 'btc-bitcoin' AND time >= date_trunc('month', TIMESTAMP '${dayOf('05', '20')}')`;
    const [month] = await rowsOf(`SELECT time, open FROM days WHERE ${of} ORDER BY time LIMIT 1`);
    const next = await rowsOf(`SELECT close FROM days WHERE ${of} ORDER BY time LIMIT 31`);
    const change = Number(next.at(-1)?.[0]) / Number(month?.[1]) - 1;
    expect(rows).toContainEqual(['btc-bitcoin', month?.[0], expect.closeTo(change, 9), 31n, 31n]);
  });
});

const byTime = (rows: readonly [Date, number][]) =>
  rows.map(([time, close]): [number, number] => [time.getTime(), close]);
