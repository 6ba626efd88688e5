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
  });

  it('of another coin is refused, with both ids cut to a readable length', () => {
    const other = { ...bitcoin(), id: 'x'.repeat(5_000) };
    expect(() => plausibleTicker(other, 'btc-bitcoin', {})).toThrow(
      new Implausible('Identity', `the ticker of "${'x'.repeat(100)}" in place of that of "btc-bitcoin"`),
    );
  });

  it('may cost anything up to 1e15, and a hundred times as much as before', () => {
    for (const price of [Number.MIN_VALUE, 4e-18, 8_400_000, 1e15 - 1])
      expect(priceOf(pass({ usd: { price } }, held()))).toBe(price);
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

  it.each<[string, (time: string) => Changes]>([
    ['last_updated', (time) => ({ last_updated: time })],
    ['first_data_at', (time) => ({ first_data_at: time })],
    ['ath_date', (time) => ({ usd: { ath_date: time } })],
  ])('may be ahead of the clock with its %s by a minute and no more', (_name, changes) => {
    const refusal = new Implausible('Time', `a time in the future: ${at(61_000)}`);
    expect(() => pass(changes(at(60_000)))).not.toThrow();
    expect(() => pass(changes(at(61_000)))).toThrow(refusal);
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
