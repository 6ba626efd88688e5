import { describe, expect, it } from 'vitest';
import { type Listing, listingOf } from '../../../../shared/marketdata/sources/listings.ts';
import type { Market, MarketQuote } from '../../../../shared/marketdata/sources/market.ts';
import type { Coin } from './coins.ts';
import type { Fetched } from './exchange.ts';
import { type Mapping, mapMarkets } from './state.ts';

const START = Date.UTC(2026, 10, 22);
const RUN_MS = 600_000;

function coin(id: string, price: number | null, symbol = 'SOL'): Coin {
  return { id, symbol, price };
}
const SOL = coin('sol-solana', 100);
const TETHER = coin('usdt-tether', 1, 'USDT');
const USD_COIN = coin('usdc-usd-coin', 1, 'USDC');

interface Trade {
  readonly price: number;
  readonly volume?: number;
  readonly isOpen?: boolean;
}
/** An exchange's markets and prices, by market: `SOL-USD`. */
type Trades = Readonly<Record<string, Trade>>;

function fetchedFrom(exchange: string, trades: Trades): Fetched {
  const markets = Object.entries(trades).map(([id, { isOpen = true }]): Market => {
    const [base = '', quote = ''] = id.split('-');
    return { id, base, quote, isOpen };
  });
  const quotes = Object.entries(trades).map(
    ([market, { price, volume = 100 }]): MarketQuote => ({ market, price, volume, change: 1, at: null }),
  );
  return { exchange, markets, quotes };
}

/** Rows of the provider's list, `[pair, coin]`. */
type Rows = readonly (readonly [pair: string, coinId: string])[];

function listing(rows: Rows): Listing {
  const markets = rows.map(([pair, coinId]) => {
    const [base = '', quote = ''] = pair.split('/');
    return { base, quote, coinId };
  });
  return listingOf(markets, START);
}

const LISTED: Rows = ['USD', 'USDC', 'USDT'].map((quote) => [`SOL/${quote}`, 'sol-solana']);

/** Runs, each with a snapshot ten minutes after the one before. The provider lists the same for all exchanges. */
class Runs {
  mapping: Mapping | undefined;
  now = START;
  rows: Rows | null;
  isActive = (_id: string) => true;

  constructor(rows: Rows | null = LISTED) {
    this.rows = rows;
  }

  run(coins: readonly Coin[] | undefined, trades: Trades | readonly Fetched[], times = 1): this {
    for (let time = 0; time < times; time++) {
      this.now += RUN_MS;
      this.again(coins, trades);
    }
    return this;
  }

  /** Runs once more with the snapshot of the run before. */
  again(coins: readonly Coin[] | undefined, trades: Trades | readonly Fetched[]): this {
    const { rows, isActive, now } = this;
    const snapshot = coins && {
      takenAt: now - RUN_MS / 2,
      coins: new Map(coins.map((one) => [one.id, one])),
    };
    const fetched = Array.isArray(trades)
      ? (trades as readonly Fetched[])
      : [fetchedFrom('kraken', trades as Trades)]; // it is one of both
    const lists = rows ? new Map(fetched.map(({ exchange }) => [exchange, listing(rows)])) : undefined;
    this.mapping = mapMarkets(this.mapping?.state, { fetched, listings: lists, snapshot, isActive, now });
    return this;
  }

  /** The coin of each market of the map. */
  get map(): Record<string, string> {
    const all = [...(this.mapping?.coins ?? [])].flatMap(([id, markets]) =>
      markets.map(({ market: name }) => [name, id]),
    );
    return Object.fromEntries(all);
  }

  get dropped() {
    return this.mapping?.dropped;
  }
}

const market = (price: number, given: Partial<Trade> = {}): Trades => ({ 'SOL-USD': { price, ...given } });
const MAPPED = { 'SOL-USD': 'sol-solana' };

describe('a market', () => {
  it('has the coin that the provider states in the first run', () => {
    const runs = new Runs().run([SOL], market(101));
    expect(runs.map).toEqual(MAPPED);
    expect(runs.mapping?.state.exchanges[0]?.markets).toEqual([
      {
        ...{ market: 'SOL-USD', base: 'SOL', quote: 'USD', isOpen: true },
        mapped: { coin: 'sol-solana', since: START + RUN_MS, misses: 0 },
      },
    ]);
  });

  it('has it in the first run with a list, even if the snapshot is not new', () => {
    const runs = new Runs(null).run([SOL], market(101));
    expect(runs.map).toEqual({});
    runs.rows = LISTED;
    expect(runs.again([SOL], market(101)).map).toEqual(MAPPED);
  });

  it.each([
    [95, 100, true],
    [105, 100, true],
    [1.05, 1, true],
    [105.0001, 100, false],
    [94.9999, 100, false],
    [100_000, 100, false],
  ])('at %d, of a coin at %d, is mapped in the first run: %s', (price, of, isMapped) => {
    const { map } = new Runs().run([coin('sol-solana', of)], market(price), 5);
    expect(Object.keys(map)).toHaveLength(isMapped ? 1 : 0);
  });

  it('of a thousand coins each is no market of that coin, whatever the provider states', () => {
    const sats = coin('sats-ordinals', 1, '1000SATS');
    const runs = new Runs([['1000SATS/USD', 'sats-ordinals']]);
    expect(runs.run([sats], { '1000SATS-USD': { price: 1000 } }, 5).map).toEqual({});
  });

  it('is not mapped while the provider states another coin with its symbol, or several', () => {
    const other = coin('sol-other', 3);
    expect(new Runs([['SOL/USD', 'sol-other']]).run([SOL, other], market(100), 5).map).toEqual({});
    const both: Rows = [...LISTED, ['SOL/USD', 'sol-other'], ...LISTED];
    expect(new Runs(both).run([SOL, coin('sol-other', 100)], market(100), 5).map).toEqual({});
  });

  it('is not mapped if the provider does not list it, or without a list or a snapshot', () => {
    expect(
      new Runs([['SOL/EUR', 'sol-solana']]).run([coin('sol-solana', 100, 'X')], market(100)).map,
    ).toEqual({});
    expect(new Runs(null).run([SOL], market(100), 3).map).toEqual({});
    expect(new Runs().run(undefined, market(100), 3).map).toEqual({});
  });

  it('is found by its coin’s symbol if the provider writes the pair with another one', () => {
    const bitcoin = coin('btc-bitcoin', 100, 'BTC');
    const rows: Rows = [['XBT/USD', 'btc-bitcoin']];
    expect(new Runs(rows).run([bitcoin], { 'BTC-USD': { price: 100 } }).map).toEqual({
      'BTC-USD': 'btc-bitcoin',
    });
    // The exchange has that pair too: it is another market.
    const two = { 'BTC-USD': { price: 100 }, 'XBT-USD': { price: 100 } };
    expect(new Runs(rows).run([bitcoin], two).map).toEqual({ 'XBT-USD': 'btc-bitcoin' });
    const several: Rows = [...rows, ['XXBT/USD', 'btc-copy'], ['XBTC/USD', 'btc-bitcoin']];
    const copy = coin('btc-copy', 100, 'btc ');
    expect(new Runs(several).run([bitcoin, copy], { 'BTC-USD': { price: 100 } }).map).toEqual({});
  });

  it.each([
    ['has no price', [{ ...SOL, price: null }]],
    ['is not in the snapshot', []],
  ])('waits for a coin that %s', (_what, coins) => {
    const runs = new Runs().run(coins, market(100), 3);
    expect(runs.map).toEqual({});
    expect(runs.run([SOL], market(100)).map).toEqual(MAPPED);
  });

  it.each([
    ['that was not traded for a day', { volume: 0 }],
    ['with a price of nothing', { price: 0 }],
    ['with a price that is no number', { price: Number.NaN }],
    ['that is halted', { isOpen: false }],
  ])('%s is not mapped', (_what, given) => {
    expect(new Runs().run([SOL], market(100, given), 2).map).toEqual({});
  });

  it('of a coin that is no longer active is not mapped', () => {
    const runs = new Runs();
    runs.isActive = (id) => id !== 'sol-solana';
    expect(runs.run([SOL], market(100), 2).map).toEqual({});
  });
});

describe('a mapped market', () => {
  const mapped = () => new Runs().run([SOL], market(100));

  it('is dropped after three snapshots in a row of more than 5 %, until it agrees again', () => {
    const runs = mapped().run([SOL], market(105.1), 2);
    expect(runs.map).toEqual(MAPPED);
    expect(runs.run([SOL], market(105.1)).map).toEqual({});
    expect(runs.dropped).toEqual(['kraken SOL-USD: sol-solana (far)']);
    expect(runs.run([SOL], market(105.1), 3).dropped).toEqual([]);
    expect(runs.run([SOL], market(104)).map).toEqual(MAPPED);
  });

  it('misses a snapshot once, however many runs see it', () => {
    const runs = mapped().run([SOL], market(106)).again([SOL], market(106)).again([SOL], market(106));
    expect(runs.run([SOL], market(106)).map).toEqual(MAPPED);
    expect(runs.run([SOL], market(106)).map).toEqual({});
  });

  it('is kept by one snapshot of three that is nearer', () => {
    const runs = mapped().run([SOL], market(106), 2).run([SOL], market(105)).run([SOL], market(106), 2);
    expect(runs.map).toEqual(MAPPED);
  });

  it('is kept while its coin has no price, and while its exchange does not respond', () => {
    const silent: Fetched = { exchange: 'kraken', markets: undefined, quotes: undefined };
    const runs = mapped()
      .run([{ ...SOL, price: null }], market(200), 5)
      .run([], market(200), 5);
    expect(runs.run(undefined, market(200), 5).map).toEqual(MAPPED);
    expect(runs.run([SOL], [silent], 500).map).toEqual(MAPPED);
  });

  it('is kept without a list, or if the list lacks it; the price decides then too', () => {
    for (const rows of [null, []]) {
      const runs = mapped();
      runs.rows = rows;
      expect(runs.run([SOL], market(101), 20).map).toEqual(MAPPED);
      expect(runs.run([SOL], market(110), 3).map).toEqual({});
      expect(runs.run([SOL], market(101), 3).map).toEqual({});
    }
  });

  it('keeps its coin when the coin’s symbol changes, at the exchange or in the registry', () => {
    const renamed = { ...SOL, symbol: 'NEW' };
    expect(mapped().run([renamed], market(100), 5).map).toEqual(MAPPED);
    const [first] = [fetchedFrom('kraken', market(100))];
    const markets = [{ id: 'SOL-USD', base: 'NEW', quote: 'USD', isOpen: true }];
    const runs = mapped().run([SOL], [{ ...first, exchange: 'kraken', markets, quotes: first?.quotes }], 5);
    expect(runs.map).toEqual(MAPPED);
    // A new market is found by the pair's new symbol, or by that of the coin if the provider still has the old pair.
    expect(mapped().run([renamed], { 'NEW-USD': { price: 100 } }).map).toEqual({ 'NEW-USD': 'sol-solana' });
  });

  it('that replaces another of its exchange under a new symbol has the coin once the snapshot has that symbol', () => {
    const render = coin('rndr-render-token', 7, 'RNDR');
    // Another coin of the new symbol, which existed before and whose price might agree.
    const other = coin('render-other', 7.1, 'RENDER');
    const runs = new Runs([['RNDR/USD', render.id]]).run([render, other], { 'RNDR-USD': { price: 7 } });
    expect(runs.map).toEqual({ 'RNDR-USD': render.id });
    const replaced = { 'RENDER-USD': { price: 7 } };
    expect(runs.run([render, other], replaced, 5).map).toEqual({});
    const believed = { ...render, symbol: 'RENDER' };
    expect(runs.run([believed, other], { 'RENDER-USD': { price: 20 } }).map).toEqual({});
    expect(runs.run([believed, other], replaced).map).toEqual({ 'RENDER-USD': render.id });
    // The provider's next list has the new pair.
    runs.rows = [['RENDER/USD', render.id]];
    expect(runs.run([believed, other], replaced, 5).map).toEqual({ 'RENDER-USD': render.id });
    runs.rows = [
      ['RNDR/USD', render.id],
      ['RENDER/USD', other.id],
    ];
    expect(runs.run([believed, other], replaced).map).toEqual({ 'RENDER-USD': other.id });
  });

  it('has another coin at once when the provider states another one', () => {
    const other = coin('sol-other', 101);
    const runs = mapped();
    runs.rows = [['SOL/USD', 'sol-other']];
    expect(runs.run([SOL, other], market(100)).map).toEqual({ 'SOL-USD': 'sol-other' });
    expect(runs.dropped).toEqual(['kraken SOL-USD: sol-solana (moved)']);
    runs.rows = [...LISTED, ['SOL/USD', 'sol-other']];
    expect(runs.run([SOL, other], market(100)).map).toEqual({});
  });

  it('is dropped at once when its coin is no longer active, whether or not the snapshot has it', () => {
    for (const coins of [[SOL], [], undefined]) {
      const runs = mapped();
      runs.isActive = () => false;
      expect(runs.run(coins, market(100)).map).toEqual({});
      expect(runs.dropped).toEqual(['kraken SOL-USD: sol-solana (inactive)']);
    }
  });

  it.each([
    ['halted', fetchedFrom('kraken', market(100, { isOpen: false }))],
    ['missing from the list', fetchedFrom('kraken', {})],
  ])(
    'is dropped at once, without a snapshot, when it is %s, and found again when it is open',
    (_how, answer) => {
      const runs = mapped().again(undefined, [answer]);
      expect(runs.map).toEqual({});
      expect(runs.dropped).toEqual(['kraken SOL-USD: sol-solana (closed)']);
      expect(runs.run(undefined, [answer]).dropped).toEqual([]);
      expect(runs.run([SOL], market(100)).map).toEqual(MAPPED);
    },
  );
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
  const mapped = () => new Runs().run([SOL], two(100, 100));

  it('is wrong: they keep their coin, however far and long', () => {
    expect(mapped().run([lying], two(100, 100), 300).map).toEqual(both);
    expect(mapped().run([coin('sol-solana', 1e-6)], two(100, 100), 300).map).toEqual(both);
  });

  it('gives no coin to markets that have none yet', () => {
    const runs = new Runs().run([lying], two(100, 100), 5);
    expect(runs.map).toEqual({});
    const one = new Runs().run([SOL], two(100, undefined)).run([lying], two(100, 100), 2);
    expect(one.map).toEqual({ 'SOL-USD': 'sol-solana' });
    expect(one.run([lying], two(100, 100)).map).toEqual({});
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
    expect(runs.dropped).toEqual(['coinbase SOL-USD: sol-solana (far)']);
  });
});

describe('a quote other than USD', () => {
  const usdt = (price: number) => ({ ...TETHER, price });
  const markets = (price: number, others: Trades = {}): Trades => ({ 'SOL-USDT': { price }, ...others });
  const inTether = { 'SOL-USDT': 'sol-solana' };

  it('is converted to USD, so that a market agrees while USDT is at 0.93', () => {
    expect(new Runs().run([SOL, usdt(0.93)], markets(100 / 0.93)).map).toEqual(inTether);
  });

  it('keeps its markets when USDT falls from one snapshot to the next', () => {
    const runs = new Runs().run([SOL, usdt(1)], markets(100));
    expect(runs.run([SOL, usdt(0.93)], markets(107.5), 20).map).toEqual(inTether);
  });

  it('is not converted while the snapshot and an exchange disagree on its value', () => {
    const runs = new Runs().run([SOL, usdt(1)], markets(100));
    runs.run([SOL, usdt(1)], markets(107.5, { 'USDT-USD': { price: 0.93 } }), 20);
    expect(runs.map).toEqual(inTether);
  });

  it('comes after USD, and replaces it', () => {
    const both = markets(100, market(100));
    const runs = new Runs().run([SOL, usdt(1)], markets(100));
    expect(runs.map).toEqual(inTether);
    expect(runs.run([SOL, usdt(1)], both).map).toEqual(MAPPED);
    expect(runs.run([SOL, usdt(1)], markets(100)).map).toEqual(inTether);
  });

  it('that is no stablecoin is not used', () => {
    const rows: Rows = ['EUR', 'BTC'].map((quote) => [`SOL/${quote}`, 'sol-solana']);
    const prices = { 'SOL-EUR': { price: 100 }, 'SOL-BTC': { price: 100 } };
    expect(new Runs(rows).run([SOL], prices, 2).map).toEqual({});
  });

  it('has no second opinion from a market in another stablecoin, only from one in USD', () => {
    const rows: Rows = [
      ['USDC/USDT', 'usdc-usd-coin'],
      ['USDT/USDC', 'usdt-tether'],
      ['USDT/USD', 'usdt-tether'],
      ['USDC/USD', 'usdc-usd-coin'],
    ];
    const coins = [TETHER, USD_COIN];
    const circle = { 'USDC-USDT': { price: 1 }, 'USDT-USDC': { price: 1 } };
    expect(new Runs(rows).run(coins, circle, 2).map).toEqual({});
    const dollars = { ...circle, 'USDT-USD': { price: 1 }, 'USDC-USD': { price: 1 } };
    expect(new Runs(rows).run(coins, dollars).map).toEqual({
      'USDT-USD': 'usdt-tether',
      'USDC-USD': 'usdc-usd-coin',
    });
  });
});
