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
/** The most candles of one answer. */
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

  it('are two', () => {
    expect(queries).toHaveLength(2);
  });

  it('compute the value of a portfolio', async () => {
    const dates = [dayOf('03', '31'), dayOf('06', '30'), dayOf('09', '30')].sort();
    const worth = dates.map(async (date) => [
      new Date(date),
      expect.closeTo(
        0.5 * (await closeOn('btc-bitcoin', date)) + 4 * (await closeOn('eth-ethereum', date)),
        6,
      ),
      new Date(date),
    ]);
    expect(await run(0)).toEqual(await Promise.all(worth));
  });

  it('compute the return of each month', async () => {
    const rows = await run(1);
    const days = await rowsOf('SELECT count(*) FROM days');
    expect(rows.reduce((sum, row) => sum + Number(row[4]), 0)).toBe(Number(days[0]?.[0]));
    const of = `coin_id = 'btc-bitcoin' AND time >= date_trunc('month', TIMESTAMP '${dayOf('05', '20')}')`;
    const [month] = await rowsOf(`SELECT time, open FROM days WHERE ${of} ORDER BY time LIMIT 1`);
    const next = await rowsOf(`SELECT close FROM days WHERE ${of} ORDER BY time LIMIT 31`);
    const change = Number(next.at(-1)?.[0]) / Number(month?.[1]) - 1;
    expect(rows).toContainEqual(['btc-bitcoin', month?.[0], expect.closeTo(change, 9), 31n, 31n]);
  });
});
