import { describe, expect, it } from 'vitest';
import type { Market, MarketQuote } from '../../../../shared/marketdata/sources/market.ts';
import type { SourceState } from '../../../../shared/marketdata/sources/source-map.ts';
import type { Coin } from './coins.ts';
import type { Fetched } from './exchange.ts';
import { mappedIn, nextState } from './state.ts';

const START = Date.UTC(2026, 10, 22);
const RUN_MS = 600_000;

function coin(id: string, price: number | null, given: Partial<Coin> = {}): Coin {
  return { id, symbol: 'SOL', rank: 5, isActive: true, price, volume: 1e9, ...given };
}

interface Said {
  readonly price: number;
  readonly volume?: number;
  readonly isOpen?: boolean;
}
/** An exchange's answer, by market: `SOL-USD`. */
type Answer = Readonly<Record<string, Said>>;

function fetchedFrom(exchange: string, answer: Answer): Fetched {
  const markets = Object.entries(answer).map(([id, { isOpen = true }]): Market => {
    const [base = '', quote = ''] = id.split('-');
    return { id, base, quote, isOpen };
  });
  const quotes = Object.entries(answer).map(
    ([market, { price, volume = 100 }]): MarketQuote => ({ market, price, volume, change: 1, at: null }),
  );
  return { exchange, markets, quotes };
}

/** Runs, each with a snapshot ten minutes after the one before. */
class Runs {
  state: SourceState | undefined;
  now = START;

  run(coins: readonly Coin[] | undefined, answer: Answer | readonly Fetched[], times = 1): this {
    for (let time = 0; time < times; time++) {
      this.now += RUN_MS;
      this.again(coins, answer);
    }
    return this;
  }

  /** Runs once more with the snapshot of the run before. */
  again(coins: readonly Coin[] | undefined, answer: Answer | readonly Fetched[]): this {
    const snapshot = coins && { takenAt: this.now - RUN_MS / 2, coins };
    const all = Array.isArray(answer)
      ? (answer as readonly Fetched[])
      : [fetchedFrom('kraken', answer as Answer)]; // it is one of both
    this.state = nextState(this.state, { fetched: all, snapshot, now: this.now });
    return this;
  }

  /** The coin of each market of the map. */
  get map(): Record<string, string> {
    const { coins = new Map() } = this.state ? mappedIn(this.state, { fetched: [], now: this.now }) : {};
    const all = [...coins].flatMap(([id, markets]) =>
      markets.map((one: { market: string }) => [one.market, id]),
    );
    return Object.fromEntries(all);
  }

  market(id: string) {
    return this.state?.exchanges.flatMap(({ markets }) => markets).find(({ market }) => market === id);
  }
}

const SOL = coin('sol-solana', 100);
const market = (price: number, given: Partial<Said> = {}): Answer => ({ 'SOL-USD': { price, ...given } });

describe('a market', () => {
  it('belongs to the coin that agreed with it in three snapshots, and in no fewer', () => {
    const runs = new Runs();
    expect([1, 2, 3].map(() => runs.run([SOL], market(101)).map)).toEqual([
      {},
      {},
      { 'SOL-USD': 'sol-solana' },
    ]);
    expect(runs.market('SOL-USD')?.mapped).toEqual({ coin: 'sol-solana', since: START + 3 * RUN_MS });
  });

  it('is not mapped by one snapshot that three runs have seen', () => {
    const runs = new Runs().run([SOL], market(101)).again([SOL], market(101)).again([SOL], market(101));
    expect(runs.map).toEqual({});
  });

  it('begins anew if one of three does not agree', () => {
    const runs = new Runs().run([SOL], market(101), 2).run([SOL], market(103)).run([SOL], market(101), 2);
    expect(runs.map).toEqual({});
    expect(runs.run([SOL], market(101)).map).toEqual({ 'SOL-USD': 'sol-solana' });
  });

  it.each([
    [98, 100, true],
    [102, 100, true],
    [1.02, 1, true],
    [102.0001, 100, false],
    [97.9999, 100, false],
  ])('at %d agrees with a coin at %d: %s', (price, of, isMapped) => {
    const { map } = new Runs().run([coin('a', of)], market(price), 3);
    expect(Object.keys(map)).toHaveLength(isMapped ? 1 : 0);
  });

  it('finds its coin in any case, and with blanks around its symbol', () => {
    expect(new Runs().run([coin('a', 1, { symbol: ' sol ' })], market(1), 3).map).toEqual({ 'SOL-USD': 'a' });
  });

  it('of a thousand coins each is no market of that coin', () => {
    const sats = coin('sats-ordinals', 1, { symbol: 'SATS' });
    const thousand = { '1000SATS-USD': { price: 1000 }, 'SATS-USDX': { price: 1 } };
    expect(new Runs().run([sats], thousand, 5).map).toEqual({});
    expect(new Runs().run([sats], { 'SATS-USD': { price: 1000 } }, 5).map).toEqual({});
  });

  it('with more volume than its coin belongs to another coin', () => {
    const small = coin('a', 100, { volume: 9_999 });
    expect(new Runs().run([small], market(100), 20).map).toEqual({});
    expect(new Runs().run([coin('a', 100, { volume: 10_000 })], market(100), 3).map).toEqual({
      'SOL-USD': 'a',
    });
  });

  it.each([
    ['has no price', { price: null }],
    ['has no volume', { volume: null }],
    ['has no rank', { rank: Number.POSITIVE_INFINITY }],
    ['is not active', { isActive: false }],
  ])('does not belong to a coin that %s', (_what, given) => {
    expect(new Runs().run([{ ...SOL, ...given }], market(100), 5).map).toEqual({});
  });

  it.each([
    ['that was not traded for a day', { volume: 0 }],
    ['with a price of nothing', { price: 0 }],
    ['with a price that is no number', { price: Number.NaN }],
    ['that is halted', { isOpen: false }],
  ])('%s belongs to no coin', (_what, given) => {
    expect(new Runs().run([SOL], market(100, given), 5).map).toEqual({});
  });
});

describe('of several coins with a market’s symbol', () => {
  const copy = coin('sol-binance-peg-sol', 100.2, { rank: 900 });
  const impostor = coin('sol-impostor', 3, { rank: 2 });

  it('the best-ranked has it, because copies agree in price too', () => {
    expect(new Runs().run([copy, SOL], market(100), 3).map).toEqual({ 'SOL-USD': 'sol-solana' });
  });

  it('a copy waits for nine if nothing is known of a better-ranked one at the moment', () => {
    const stale = { ...SOL, price: null };
    const runs = new Runs().run([copy, stale], market(100), 4);
    expect(runs.map).toEqual({});
    expect(runs.run([copy, SOL], market(100), 3).map).toEqual({ 'SOL-USD': 'sol-solana' });
    expect(new Runs().run([copy, stale], market(100), 9).map).toEqual({ 'SOL-USD': 'sol-binance-peg-sol' });
  });

  it('one that agrees by chance does not take it away, however much better its rank is', () => {
    const runs = new Runs().run([impostor, SOL], market(100), 3);
    runs.run([{ ...impostor, price: 100 }, SOL], market(100), 50);
    expect(runs.map).toEqual({ 'SOL-USD': 'sol-solana' });
  });

  it('one that agrees by chance from the first has it, until it was far off three times: then the right one has it', () => {
    const runs = new Runs().run([{ ...impostor, price: 100 }, SOL], market(100), 3);
    expect(runs.map).toEqual({ 'SOL-USD': 'sol-impostor' });
    expect(runs.run([impostor, SOL], market(100), 2).map).toEqual({ 'SOL-USD': 'sol-impostor' });
    expect(runs.run([impostor, SOL], market(100)).map).toEqual({ 'SOL-USD': 'sol-solana' });
    expect(runs.market('SOL-USD')?.lost).toMatchObject({ coin: 'sol-impostor', why: 'far' });
  });

  it('the original takes it from a copy when both have agreed for a day', () => {
    const runs = new Runs().run([copy], market(100), 3);
    expect(runs.map).toEqual({ 'SOL-USD': 'sol-binance-peg-sol' });
    expect(runs.run([copy, SOL], market(100), 143).map).toEqual({ 'SOL-USD': 'sol-binance-peg-sol' });
    expect(runs.run([copy, SOL], market(100)).map).toEqual({ 'SOL-USD': 'sol-solana' });
    expect(runs.market('SOL-USD')?.lost).toMatchObject({ coin: 'sol-binance-peg-sol', why: 'moved' });
  });
});

describe('a mapped market', () => {
  const mapped = () => new Runs().run([SOL], market(100), 3);

  it('is dropped after three snapshots in a row of more than 5 %', () => {
    const runs = mapped().run([SOL], market(105.1), 2);
    expect(runs.map).toEqual({ 'SOL-USD': 'sol-solana' });
    expect(runs.run([SOL], market(105.1)).map).toEqual({});
  });

  it('is kept at exactly 5 %, and by one snapshot of three that is nearer', () => {
    expect(mapped().run([SOL], market(105), 20).map).toEqual({ 'SOL-USD': 'sol-solana' });
    const runs = mapped().run([SOL], market(106), 2).run([SOL], market(104)).run([SOL], market(106), 2);
    expect(runs.map).toEqual({ 'SOL-USD': 'sol-solana' });
  });

  it('is dropped if it was not within 2 % for a day', () => {
    const runs = mapped().run([SOL], market(104), 143);
    expect(runs.map).toEqual({ 'SOL-USD': 'sol-solana' });
    expect(runs.run([SOL], market(104)).map).toEqual({});
  });

  it('is kept for a day while its coin has no price, then dropped', () => {
    const stale = { ...SOL, price: null };
    expect(mapped().run([stale], market(200), 143).map).toEqual({ 'SOL-USD': 'sol-solana' });
    expect(mapped().run([], market(100), 144).map).toEqual({});
  });

  it('is dropped at once when its coin is no longer active', () => {
    expect(mapped().run([{ ...SOL, isActive: false }], market(100)).map).toEqual({});
  });

  it.each([
    ['halted', fetchedFrom('kraken', market(100, { isOpen: false }))],
    ['missing from the list', fetchedFrom('kraken', {})],
  ])(
    'is dropped at once, without a new snapshot, when it is %s, and found again after three',
    (_how, answer) => {
      const runs = mapped().again(undefined, [answer]);
      expect(runs.map).toEqual({});
      expect(runs.market('SOL-USD')?.lost).toMatchObject({ coin: 'sol-solana', why: 'closed' });
      expect(runs.run([SOL], market(100), 2).map).toEqual({});
      expect(runs.run([SOL], market(100)).map).toEqual({ 'SOL-USD': 'sol-solana' });
    },
  );

  it('is kept while its exchange does not respond', () => {
    const silent: Fetched = { exchange: 'kraken', markets: undefined, quotes: undefined };
    const runs = mapped().run([SOL], [silent], 500);
    expect(runs.map).toEqual({ 'SOL-USD': 'sol-solana' });
    expect(runs.state && mappedIn(runs.state, { fetched: [silent], now: 1 }).quotes.coins.size).toBe(0);
  });

  it('is of the same asset as the others of its symbol at that exchange', () => {
    const other = coin('sol-other', 50, { rank: 1 });
    const usdt = coin('usdt-tether', 1, { symbol: 'USDT' });
    const runs = new Runs().run([SOL, other, usdt], market(100), 3);
    runs.run([SOL, other, usdt], { ...market(100), 'SOL-USDT': { price: 50 } }, 20);
    expect(runs.market('SOL-USDT')?.mapped).toBeNull();
  });
});

/** The markets of a coin at two exchanges. */
function two(price: number, other: number | undefined): Fetched[] {
  const second = fetchedFrom('kraken', { SOLUSD: { price: other ?? 0 } });
  const markets = [{ id: 'SOLUSD', base: 'SOL', quote: 'USD', isOpen: true }];
  return [
    fetchedFrom('coinbase', market(price)),
    { ...second, markets, quotes: other === undefined ? undefined : second.quotes },
  ];
}

describe('a ticker far off markets that agree with each other', () => {
  const both = { 'SOL-USD': 'sol-solana', SOLUSD: 'sol-solana' };
  const lying = coin('sol-solana', 200);
  const mapped = (coins: readonly Coin[] = [SOL]) => new Runs().run(coins, two(100, 100), 10);

  it('is wrong for a day: they keep their coin until then', () => {
    const runs = mapped().run([lying], two(100, 100), 143);
    expect(runs.map).toEqual(both);
    expect(runs.run([lying], two(100, 100)).map).toEqual({});
    expect(runs.market('SOLUSD')?.lost).toMatchObject({ coin: 'sol-solana', why: 'unconfirmed' });
  });

  it('loses a market whose exchange has another price than the others', () => {
    expect(mapped().run([lying], two(100, 102.1), 2).map).toEqual(both);
    expect(mapped().run([lying], two(100, 102.1), 3).map).toEqual({});
    expect(mapped().run([lying], two(100, 102), 3).map).toEqual(both);
  });

  it('loses none because an exchange was silent for once, and all that are left alone for three', () => {
    const runs = mapped().run([lying], two(100, 100), 5).run([lying], two(100, undefined), 2);
    expect(runs.run([lying], two(100, 100)).map).toEqual(both);
    expect(runs.run([lying], two(100, undefined), 3).map).toEqual({ SOLUSD: 'sol-solana' });
    expect(runs.market('SOL-USD')?.lost).toMatchObject({ coin: 'sol-solana', why: 'far' });
  });

  it('is of a coin that all exchanges call otherwise now, after a day: then the other coin has its markets', () => {
    const renamed = coin('sol-new', 30, { rank: 50 });
    const runs = mapped([SOL, renamed]).run([SOL, renamed], two(30, 30), 143);
    expect(runs.map).toEqual(both);
    expect(runs.run([SOL, renamed], two(30, 30), 10).map).toEqual({
      'SOL-USD': 'sol-new',
      SOLUSD: 'sol-new',
    });
  });
});

describe('a quote other than USD', () => {
  const usdt = (price: number, given: Partial<Coin> = {}) =>
    coin('usdt-tether', price, { symbol: 'USDT', rank: 3, volume: 1e11, ...given });
  const markets = (price: number, others: Answer = {}): Answer => ({ 'SOL-USDT': { price }, ...others });

  it('is converted to USD, so that a market agrees while USDT is at 0.93', () => {
    expect(new Runs().run([SOL, usdt(0.93)], markets(100 / 0.93), 3).map).toEqual({
      'SOL-USDT': 'sol-solana',
    });
  });

  it('keeps its markets when USDT falls from one snapshot to the next', () => {
    const runs = new Runs().run([SOL, usdt(1)], markets(100), 3);
    expect(runs.run([SOL, usdt(0.93)], markets(107.5), 20).map).toEqual({ 'SOL-USDT': 'sol-solana' });
  });

  it('is not converted while the snapshot and an exchange disagree on its value', () => {
    const runs = new Runs().run([SOL, usdt(1)], markets(100), 3);
    runs.run([SOL, usdt(1)], markets(107.5, { 'USDT-USD': { price: 0.93 } }), 20);
    expect(runs.market('SOL-USDT')).toMatchObject({ last: null, mapped: { coin: 'sol-solana' } });
  });

  it('has its rate from an exchange if there is no snapshot', () => {
    const answer = markets(100, { 'USDT-USD': { price: 0.99 } });
    const runs = new Runs()
      .run([SOL, usdt(0.99)], markets(101, { 'USDT-USD': { price: 0.99 } }), 3)
      .run(undefined, answer);
    const fetched = [fetchedFrom('kraken', answer)];
    const mapped = runs.state && mappedIn(runs.state, { fetched, now: runs.now });
    expect(mapped?.quotes.coins.get('sol-solana')).toEqual([
      { exchange: 'kraken', market: 'SOL-USDT', price: 99, change: 1, at: null },
    ]);
  });

  it('comes after USD, and replaces it', () => {
    const both = markets(100, market(100));
    const runs = new Runs().run([SOL, usdt(1)], markets(100), 3);
    expect(runs.map).toEqual({ 'SOL-USDT': 'sol-solana' });
    expect(runs.run([SOL, usdt(1)], both, 3).map).toEqual({ 'SOL-USD': 'sol-solana' });
    expect(runs.run([SOL, usdt(1)], markets(100)).map).toEqual({ 'SOL-USDT': 'sol-solana' });
  });

  it('that is no stablecoin is not used', () => {
    expect(new Runs().run([SOL], { 'SOL-EUR': { price: 100 }, 'SOL-BTC': { price: 100 } }, 5).map).toEqual(
      {},
    );
  });
});
