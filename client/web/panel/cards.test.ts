import { describe, expect, test } from 'vitest';
import { candles } from '../../../test/client/stub-api.ts';
import type { Provenance } from '../../commands/provenance.ts';
import type { ChartResult } from '../../commands/result.ts';
import { ageOf } from './age.ts';
import { comparing, nameOf, requestOf } from './card-request.ts';
import { fileNameOf } from './download.ts';
import { askedAt, dueAt, neverAsked } from './due.ts';
import { csvOf } from './export-csv.ts';

const NOON = Date.UTC(2026, 0, 31, 12);
const MINUTE_MS = 60_000;

const told = (changes: Partial<Provenance> = {}): Provenance => ({
  sources: ['coinbase'],
  isSimulated: false,
  quality: 'exact',
  madeAt: NOON,
  outdatedMs: undefined,
  freshUntil: NOON + 10 * MINUTE_MS,
  ...changes,
});
const btc = { id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC', alternatives: 0, isActive: true };
const eth = { id: 'eth-ethereum', name: 'Ethereum', symbol: 'ETH', alternatives: 1, isActive: true };
const data = {
  coinId: btc.id,
  interval: '24h',
  quote: 'usd',
  count: 1,
  data: candles([[100, 110, 95, 105]]),
};
const result: ChartResult = {
  kind: 'chart',
  command: {
    name: 'chart',
    symbol: 'btc',
    compare: ['eth-ethereum'],
    protocol: 'coinpaprika',
    style: undefined,
    range: {},
    currency: 'EUR',
  },
  coin: btc,
  data,
  provenance: told({ sources: ['coinbase', 'kraken, "the other"'] }),
  compared: [
    { coin: eth, data: { ...data, coinId: eth.id }, provenance: told({ isSimulated: true, sources: [] }) },
  ],
};

describe('the age of a card', () => {
  test.each([
    [0, {}, 'as of 12:00 UTC', false],
    [10.5, {}, '10 min old', false],
    [25, {}, '25 min old', true],
    [0.5, { outdatedMs: 1 }, '30 s old', true],
    [180, { quality: 'stale', freshUntil: NOON + 200 * MINUTE_MS }, '3 h old', true],
    [4000, {}, '2 d old', true],
  ] as const)('after %d minutes of %j is "%s"', (minutes, changes, text, isOld) => {
    expect(ageOf(told(changes), NOON + minutes * MINUTE_MS)).toEqual({ text, isOld });
  });

  test('is not told if it is not known', () => {
    expect(ageOf(told({ madeAt: undefined }), NOON)).toBeUndefined();
  });
});

describe('a refresh', () => {
  test('is due at the end of the lifetime, but not within 15 seconds of the one before', () => {
    expect(dueAt(NOON, neverAsked)).toBe(NOON);
    expect(dueAt(NOON, { at: NOON - 1000, failures: 0 })).toBe(NOON + 14_000);
  });

  test('comes ever later after failures, but once in 15 minutes', () => {
    let asked = neverAsked;
    const waits = Array.from({ length: 8 }, () => {
      asked = askedAt(NOON, asked, false);
      return (dueAt(0, asked) - NOON) / 1000;
    });
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
    expect(dueAt(0, askedAt(NOON, asked, true)) - NOON).toBe(15_000);
  });
});

test('a card is called by the symbol that found its coin, otherwise by its id', () => {
  expect(requestOf(result).command).toMatchObject({
    symbol: 'BTC',
    compare: ['eth-ethereum'],
    currency: undefined,
  });
  expect(nameOf(eth, 'Ether')).toBe('eth-ethereum');
  expect(comparing(requestOf(result), [eth]).command.compare).toEqual(['eth-ethereum']);
  expect(comparing(requestOf(result), [])).toMatchObject({ compared: [], command: { compare: [] } });
});

test('candles as a table name their coin, currency, source and quality, and quote what has commas and quotes', () => {
  expect(csvOf(result)).toBe(
    [
      'time_open,open,high,low,close,volume,coin,currency,source,quality',
      '2026-01-01T00:00:00.000Z,100,110,95,105,1000,btc-bitcoin,USD,"coinbase kraken, ""the other""",exact',
      '2026-01-01T00:00:00.000Z,100,110,95,105,1000,eth-ethereum,USD,simulated,exact',
      '',
    ].join('\r\n'),
  );
});

test('a file is named by letters and digits alone', () => {
  expect(fileNameOf(['B/T..C', '30d', '2026-01-31'], 'png')).toBe('BTC-30d-2026-01-31.png');
  expect(fileNameOf(['₿'], 'csv')).toBe('chart.csv');
});
