import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NOW, tickerOf } from '../../../test/snapshot/tickers.ts';
import type { Expected } from '../provider.ts';
import type { Ticker } from '../ticker.ts';
import { Implausible } from './implausible.ts';
import { plausibleTicker } from './ticker.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

type Usd = Ticker['quotes']['USD'];
type Changes = Partial<Omit<Ticker, 'quotes'>> & { readonly usd?: Partial<Usd> };

const at = (ms: number) => new Date(NOW + ms).toISOString();

function bitcoin({ usd, ...others }: Changes = {}): Ticker {
  const ticker = { ...tickerOf('btc-bitcoin', 84_000), ...others };
  return { ...ticker, quotes: { USD: { ...ticker.quotes.USD, ...usd } } };
}

const held = (changes: Changes = {}): Expected<Ticker> => ({
  held: { data: bitcoin(changes), source: 'test', madeAt: NOW },
});
const pass = (changes: Changes, expected: Expected<Ticker> = {}) =>
  plausibleTicker(bitcoin(changes), 'btc-bitcoin', expected);
const priceOf = ({ quotes }: Ticker) => quotes.USD.price;

describe('a ticker', () => {
  it('passes as it is if nothing about it is impossible', () => {
    const ticker = bitcoin({ rank: 1, max_supply: 21e6, usd: { volume_24h: 0, percent_change_1h: -3 } });
    expect(plausibleTicker(ticker, 'btc-bitcoin', held())).toEqual(ticker);
    expect(plausibleTicker(ticker, 'btc-bitcoin', {})).toEqual(ticker);
  });

  it('of another coin is refused, with both ids cut to a readable length', () => {
    const other = { ...bitcoin(), id: 'x'.repeat(5_000) };
    expect(() => plausibleTicker(other, 'btc-bitcoin', {})).toThrow(
      new Implausible('Identity', `the ticker of "${'x'.repeat(100)}" in place of that of "btc-bitcoin"`),
    );
  });

  it('may cost anything up to 1e15, but not much more than within the last hour', () => {
    for (const price of [Number.MIN_VALUE, 4e-18, 8_400_000, 1e15 - 1]) {
      expect(priceOf(pass({ usd: { price } }))).toBe(price);
      const jump = new Implausible('Jump', `a price of ${price}, which was 84000`);
      expect(() => pass({ usd: { price } }, held())).toThrow(jump);
      vi.setSystemTime(NOW + 3_600_000);
      expect(priceOf(pass({ usd: { price } }, held()))).toBe(price);
      vi.setSystemTime(NOW);
    }
    for (const price of [1e15, -4e-18])
      expect(() => pass({ usd: { price } })).toThrow(new Implausible('Price', `a price of ${price}`));
  });

  it.each([0, -0, null])('of an active coin may not cost %j, nor of one whose price is known', (price) => {
    const noPrice = new Implausible('Price', 'no price');
    const without = held({ usd: { price: null } });
    for (const expected of [{ isActive: true }, {}, { ...held(), isActive: false }])
      expect(() => pass({ usd: { price } }, expected)).toThrow(noPrice);
    for (const expected of [{ isActive: false }, { ...without, isActive: false }])
      expect(priceOf(pass({ usd: { price } }, expected))).toBeNull();
  });

  it('has null for each negative amount, and keeps a zero', () => {
    const usd = (amount: number | null) => ({ volume_24h: amount, market_cap: amount, ath_price: amount });
    const all = (amount: number | null) => ({
      ...{ circulating_supply: amount, total_supply: amount, max_supply: amount },
    });
    expect(pass({ ...all(-1), usd: usd(-1) })).toMatchObject({ ...all(null), quotes: { USD: usd(null) } });
    expect(pass({ ...all(0), usd: usd(0) })).toMatchObject({ ...all(0), quotes: { USD: usd(0) } });
  });

  it('may be ahead of the clock by a minute and no more, and other times that are more are dropped', () => {
    const refusal = new Implausible('Time', `a time in the future: ${at(61_000)}`);
    expect(() => pass({ last_updated: at(60_000) })).not.toThrow();
    expect(() => pass({ last_updated: at(61_000) })).toThrow(refusal);
    const others = (time: string) => pass({ first_data_at: time, usd: { ath_date: time } });
    expect(others(at(60_000))).toMatchObject({
      first_data_at: at(60_000),
      quotes: { USD: { ath_date: at(60_000) } },
    });
    expect(others(at(61_000))).toMatchObject({ first_data_at: null, quotes: { USD: { ath_date: null } } });
  });

  it.each<[string, Partial<Usd>, Partial<Usd>]>([
    ['a volume in units of the coin', { volume_24h: 9e10 }, { volume_24h: 1e6 }],
    ['a supply of another coin', { market_cap: 1.6e12 }, { market_cap: 5e13 }],
    ['a change of another coin', { percent_change_24h: 2 }, { percent_change_24h: 900 }],
  ])('costs the figure only, which stays the last one for an hour: %s', (_what, before, lie) => {
    const known = held({ usd: before });
    const { USD } = pass({ usd: lie }, known).quotes;
    expect(USD).toMatchObject({ price: 84_000, figures_at: at(-60_000) });
    for (const [name, figure] of Object.entries(before))
      expect(USD[name as keyof Usd]).toBeCloseTo(Number(figure), -4);
    vi.setSystemTime(NOW + 3_600_000);
    const supplies = { total_supply: 1e10 };
    expect(pass({ ...supplies, usd: lie }, known).quotes.USD).toMatchObject({ ...lie, figures_at: null });
    vi.setSystemTime(NOW);
  });

  it.each([
    ['a second older', at(-61_000), 'refused'],
    ['without a time', null, 'refused'],
    ['as old', at(-60_000), 'taken'],
  ])('%s than the last good one is %s', (_what, last_updated, expected) => {
    if (expected === 'taken') return expect(pass({ last_updated }, held())).toMatchObject({ last_updated });
    const text = `a ticker of ${last_updated ?? 'no time'}, where the one of ${at(-60_000)} is known`;
    expect(() => pass({ last_updated }, held())).toThrow(new Implausible('Older', text));
    expect(() => pass({ last_updated }, held({ last_updated: null }))).not.toThrow();
  });
});

describe('a ticker under another symbol than the registry’s', () => {
  const labels = { name: 'Render Token', symbol: 'RNDR' };
  const id = 'rndr-render-token';
  const ticker = (price: number, { symbol = 'NEW', name = 'New', cap = price * 1e6 } = {}): Ticker => {
    const plain = tickerOf(id, price, NOW);
    return { ...plain, symbol, name, quotes: { USD: { ...plain.quotes.USD, market_cap: cap } } };
  };
  const known = (price: number, hours: number, symbol = 'RNDR'): Expected<Ticker> => {
    const madeAt = NOW - hours * 3_600_000;
    const data = {
      ...ticker(price, { symbol, name: symbol === 'RNDR' ? 'Render Token' : 'Render' }),
      last_updated: at(madeAt - NOW),
    };
    return { labels, held: { data, source: 'test', madeAt } };
  };
  const namesOf = (given: Ticker, expected: Expected<Ticker> = { labels }) => {
    const { symbol, name, quotes } = plausibleTicker(given, id, expected);
    return [symbol, name, quotes.USD.price];
  };
  const refusal = new Implausible('Identity', 'the symbol "NEW" in place of "RNDR"');

  it('is the coin’s if its price is near the last known one, or its number of coins too follows it', () => {
    expect(namesOf(ticker(9), known(7, 0.5))).toEqual(['RNDR', 'Render Token', 9]);
    expect(namesOf(ticker(30), known(7, 20))).toEqual(['RNDR', 'Render Token', 30]);
    expect(namesOf(ticker(9, { cap: 12e6 }), known(7, 20))).toEqual(['RNDR', 'Render Token', 9]);
    expect(() => namesOf(ticker(30, { cap: 60e6 }), known(7, 20))).toThrow(refusal);
    expect(() => namesOf(ticker(40), known(7, 20))).toThrow(refusal);
  });

  it('has the names of the known ticker if that one has its symbol', () => {
    expect(namesOf(ticker(9, { symbol: 'render', name: 'Any' }), known(7, 0.5, 'RENDER'))).toEqual([
      ...['RENDER', 'Render', 9],
    ]);
  });

  it('is the coin’s by its price alone if another source has about the same one, as that of a contract', () => {
    expect(namesOf(ticker(9), { labels, price: 7 })).toEqual(['RNDR', 'Render Token', 9]);
    expect(() => namesOf(ticker(11), { labels, price: 7 })).toThrow(refusal);
  });

  it.each([
    ['the registry’s name', { name: 'RENDER token' }],
    ['a symbol that its id contains', { symbol: 'RENDER' }],
  ])('is the coin’s by %s, unless its price is another', (_what, names) => {
    expect(namesOf(ticker(9, names))).toEqual(['RNDR', 'Render Token', 9]);
    expect(() => namesOf(ticker(40, names), known(7, 5))).toThrow('in place of "RNDR"');
  });

  it('is refused if nothing shows whose it is', () => {
    expect(() => namesOf(ticker(9))).toThrow(refusal);
    expect(() => namesOf(ticker(9, { symbol: 'END' }))).toThrow('the symbol "END" in place of "RNDR"');
    expect(() => namesOf(ticker(9, { symbol: '?' }))).toThrow('the symbol "?" in place of "RNDR"');
  });
});
