import { describe, expect, it } from 'vitest';
import { answered, type GivenAnswer, useTime } from '../../test/providers/answered.ts';
import { windowOf } from '../marketdata/window.ts';
import { kraken } from './kraken.ts';

const NOW = Date.UTC(2026, 10, 22, 10, 30);
useTime(NOW);

const days = (limit: number) => windowOf({ interval: '24h', limit }, NOW);
const on = (day: number) => Date.UTC(2026, 10, day) / 1000;
const candlesFrom = (answer: GivenAnswer) =>
  answered(kraken, (offered) => offered.marketCandles({ market: 'XXBTZUSD', window: days(3) }), answer);
const candles = (result: unknown) => candlesFrom({ body: { error: [], result } });
const pair = { altname: 'XBTUSD', wsname: 'XBT/USD', base: 'XXBT', quote: 'ZUSD', status: 'online' };

describe('pairs', () => {
  it('are markets by their keys, with common symbols', () => {
    const result = {
      XXBTZUSD: pair,
      XDGUSD: { ...pair, altname: 'XDGUSD', wsname: 'XDG/USD', base: 'XXDG' },
      ETHXBT: { ...pair, wsname: 'ETH/XBT', status: 'cancel_only' },
      'XXBTZUSD.d': { ...pair, wsname: undefined },
    };

    expect(answered(kraken, ({ markets }) => markets(), { body: { error: [], result } })).toEqual([
      { id: 'XXBTZUSD', base: 'BTC', quote: 'USD', isOpen: true },
      { id: 'XDGUSD', base: 'DOGE', quote: 'USD', isOpen: true },
      { id: 'ETHXBT', base: 'ETH', quote: 'BTC', isOpen: false },
    ]);
  });
});

describe('candles', () => {
  it('are requested from before the window, because only later ones are returned', () => {
    const { path } = kraken.marketCandles({ market: 'XXBTZUSD', window: days(3) });
    expect(path).toBe(`/0/public/OHLC?pair=XXBTZUSD&interval=1440&since=${on(19)}`);
  });

  it('are those of the window, whatever the pair is called in the answer', () => {
    const row = (day: number) => [on(day), '100.0', '110.0', '90.0', '101.0', '100.5', '15.5', 320];

    const found = candles({ XBTUSD: [row(19), row(20), row(22)], last: on(21) });
    expect(found.map(({ time_open }) => time_open)).toEqual(['2026-11-20T00:00:00Z', '2026-11-22T00:00:00Z']);
  });

  it.each([{ last: 1 }, { XBTUSD: [], ETHUSD: [], last: 1 }])('of %j are refused', (result) => {
    expect(() => candles(result)).toThrow(/^Kraken gave an unusable answer: result has [02] pairs$/);
  });
});

describe('last prices', () => {
  it('are those of the requested markets, unless the best offers are far from the last trade', () => {
    const ticker = {
      a: ['84010', '1', '1'],
      b: ['83990', '1', '1'],
      c: ['84000.1', '0.5'],
      v: ['10.5', '1200.25'],
      o: '83000',
      h: ['1', '2'],
      l: ['1', '2'],
    };
    const result = {
      XXBTZUSD: ticker,
      THIN: { ...ticker, a: ['0', '0', '0'] },
      FALLEN: { ...ticker, a: ['70000', '1', '1'], b: ['69000', '1', '1'] },
      RISEN: { ...ticker, a: ['91000', '1', '1'], b: ['90000', '1', '1'] },
      SILENT: { ...ticker, c: ['0.00000', '0'] },
      OTHER: 'x',
    };
    const asked = ['XXBTZUSD', 'THIN', 'FALLEN', 'RISEN', 'SILENT'];
    const said = { price: 84_000.1, volume: 1200.25, change: null, at: null, high: 2, low: 2 };

    expect(answered(kraken, ({ quotes }) => quotes(asked), { body: { error: [], result } })).toEqual([
      { market: 'XXBTZUSD', ...said, bid: 83_990, ask: 84_010 },
      { market: 'THIN', ...said, bid: 83_990 },
    ]);
  });
});

describe('an error inside a 200', () => {
  const error = (...texts: string[]) => ({ body: { error: texts } });

  it.each([
    ['EGeneral:Too many requests', 429, "Rate limit exceeded: the provider's (Kraken); try again in 10 s"],
    ['EAPI:Rate limit exceeded', 429, "Rate limit exceeded: the provider's (Kraken); try again in 10 s"],
    ['EService:Unavailable', 502, 'Kraken answered 503 (EService)'],
    ['EQuery:Unknown asset pair', 404, 'Kraken knows no market XXBTZUSD'],
    ['EGeneral:Invalid arguments', 502, 'Kraken answered 400 (EGeneral)'],
    ['Your key a-key', 502, 'Kraken answered 400 (an error of an unknown category)'],
  ])('%s is a %i', (text, statusCode, message) => {
    expect(() => candlesFrom(error(text))).toThrow(expect.objectContaining({ statusCode, message }));
    expect(() => candlesFrom(error('WGeneral:Deprecated', text))).toThrow(
      expect.objectContaining({ statusCode, message }),
    );
  });

  it('beside data makes the data unusable', () => {
    const body = { error: ['EGeneral:Internal error'], result: { XBTUSD: [], filler: 'x'.repeat(5000) } };
    expect(() => candlesFrom({ body })).toThrow('Kraken gave an unusable answer: it reports EGeneral');
  });

  it('is none if it is only a warning', () => {
    expect(
      candlesFrom({ body: { error: ['WGeneral:Deprecated'], result: { XBTUSD: [], last: 1 } } }),
    ).toEqual([]);
  });
});
