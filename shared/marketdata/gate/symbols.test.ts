import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NOW, tickerOf } from '../../../test/snapshot/tickers.ts';
import { quotesOf } from '../../../test/snapshot/two-sides.ts';
import type { Labels } from '../provider.ts';
import { openSnapshot, type Snapshot } from '../store/snapshot.ts';
import { encodeSnapshot } from '../store/snapshot-writer.ts';
import type { Ticker } from '../ticker.ts';
import { acceptTickers } from './tickers.ts';

const STEP_MS = 600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

type Usd = Ticker['quotes']['USD'];
type Changes = Partial<Pick<Ticker, 'symbol' | 'name'>> & Partial<Pick<Usd, 'price' | 'market_cap'>>;

const registered = (index: number): Labels => ({ name: `Coin ${index}`, symbol: `C${index}` });
const RENAMED = { name: 'Render', symbol: 'RENDER' };

/** Lists of coins that cost 1, 2, 3 and so on, ten minutes apart; each run reads what the one before has stored. */
class Lists {
  snapshot: Snapshot | undefined;
  registry = new Map(Array.from({ length: 40 }, (_, index) => [`coin-${index}`, registered(index)]));
  time = NOW;

  /** The list with changes of some rows, by index, and prices of markets, by index. */
  run(
    changes: Readonly<Record<number, Changes>> = {},
    prices: Readonly<Record<number, readonly number[]>> = {},
  ): this {
    this.time += STEP_MS;
    vi.setSystemTime(this.time);
    const tickers = Array.from(this.registry.keys(), (id, index): Ticker => {
      const { name, symbol, ...usd } = { ...registered(index), ...changes[index] };
      const plain = tickerOf(id, index + 1, this.time - 60_000);
      const USD = { ...plain.quotes.USD, market_cap: 1e6 * (usd.price ?? index + 1), ...usd };
      return { ...plain, name, symbol, quotes: { USD } };
    });
    const coins = new Map(Object.entries(prices).map(([index, own]) => [`coin-${index}`, quotesOf(...own)]));
    const accepted = acceptTickers(
      { tickers, unreadable: [] },
      {
        takenAt: this.time,
        last: { published: this.snapshot, list: this.snapshot },
        labelsOf: (id) => this.registry.get(id),
        quotes: { takenAt: this.time - 60_000, coins },
      },
    );
    const others = [...accepted.rows.map(({ row }) => row), ...accepted.carried];
    const content = { others, takenAt: this.time, intervalSeconds: STEP_MS / 1000, source: 'test' };
    this.snapshot = openSnapshot(encodeSnapshot(content));
    return this;
  }

  /** What is published of a coin: `old` if its row was carried over; undefined: nothing. */
  of(index: number) {
    const row = this.snapshot?.ticker(`coin-${index}`);
    if (!row) return undefined;
    const { symbol, name, quotes } = row.data;
    return [symbol, name, row.storedAt === this.time ? quotes.USD.price : 'old'];
  }
}

const afterRuns = (changes: Readonly<Record<number, Changes>>, runs: number) => {
  const lists = new Lists().run();
  for (let run = 0; run < runs; run += 1) lists.run(changes);
  return lists;
};

describe('a new symbol', () => {
  it('is published with the third list, and the price of each list meanwhile', () => {
    const lists = new Lists().run();
    const seen = [1, 2, 3, 4].map((run) => lists.run({ 7: { ...RENAMED, price: 8 + run / 10 } }).of(7));
    expect(seen).toEqual([
      ['C7', 'Coin 7', 8.1],
      ['C7', 'Coin 7', 8.2],
      ['RENDER', 'Render', 8.3],
      ['RENDER', 'Render', 8.4],
    ]);
  });

  it('is published with the name of the list, or the same name', () => {
    expect(afterRuns({ 7: { symbol: 'RENDER' } }, 3).of(7)).toEqual(['RENDER', 'Coin 7', 8]);
  });

  it('counts from its first list again if another list is without it, or with a third one', () => {
    const lists = afterRuns({ 7: RENAMED }, 2).run().run({ 7: RENAMED }).run({ 7: RENAMED });
    expect(lists.of(7)).toEqual(['C7', 'Coin 7', 8]);
    lists.run({ 7: { symbol: 'THIRD' } }).run({ 7: RENAMED });
    expect(lists.of(7)).toEqual(['C7', 'Coin 7', 8]);
    expect(lists.run({ 7: RENAMED }).run({ 7: RENAMED }).of(7)).toEqual(['RENDER', 'Render', 8]);
  });

  it('is published at once if the registry has it, and goes at once if the list returns to the registry’s', () => {
    const lists = afterRuns({ 7: RENAMED }, 1);
    lists.registry.set('coin-7', RENAMED);
    expect(lists.run({ 7: RENAMED }).of(7)).toEqual(['RENDER', 'Render', 8]);
    expect(afterRuns({ 7: RENAMED }, 5).run().of(7)).toEqual(['C7', 'Coin 7', 8]);
  });

  it('of the registry alone stays, however long the list has the former one', () => {
    const lists = new Lists().run();
    lists.registry.set('coin-7', RENAMED);
    for (let run = 0; run < 6; run += 1) expect(lists.run().of(7)).toEqual(['RENDER', 'Render', 8]);
  });

  it('does not stop a price beside another number of coins', () => {
    const lists = new Lists().run();
    const renamed = { 7: { ...RENAMED, market_cap: 3e6 * 8 } };
    expect(lists.run(renamed).of(7)).toEqual(['C7', 'Coin 7', 8]);
    expect(lists.run(renamed).run(renamed).of(7)).toEqual(['RENDER', 'Render', 8]);
  });

  it('beside another price waits with it for three lists, or until markets agree', () => {
    const renamed = { 7: { ...RENAMED, price: 800 } };
    const lists = new Lists().run();
    expect(lists.run(renamed).of(7)).toEqual(['C7', 'Coin 7', 'old']);
    expect(lists.run(renamed).of(7)).toEqual(['C7', 'Coin 7', 'old']);
    expect(lists.run(renamed).of(7)).toEqual(['RENDER', 'Render', 800]);
    expect(
      new Lists()
        .run()
        .run(renamed, { 7: [800, 801] })
        .of(7),
    ).toEqual(['C7', 'Coin 7', 800]);
  });

  it('beside a price that markets contradict is never believed', () => {
    const renamed = { 7: { ...RENAMED, price: 80 } };
    const lists = new Lists().run();
    for (let run = 0; run < 5; run += 1) lists.run(renamed, { 7: [8, 8.01] });
    expect(lists.of(7)).toEqual(['C7', 'Coin 7', 'old']);
    for (let run = 0; run < 5; run += 1) lists.run({ 7: { ...RENAMED, price: 10 } }, { 7: [8, 8.01] });
    expect(lists.of(7)).toEqual(['C7', 'Coin 7', 10]); // disputed
  });

  it('of a coin that the list never had waits with it for three lists', () => {
    const lists = new Lists();
    const seen = [1, 2, 3].map(() => lists.run({ 7: RENAMED }).of(7));
    expect(seen).toEqual([undefined, undefined, ['RENDER', 'Render', 8]]);
    expect(lists.of(6)).toEqual(['C6', 'Coin 6', 7]);
    expect(new Lists().run({ 7: RENAMED }, { 7: [8, 8.01] }).of(7)).toEqual(['C7', 'Coin 7', 8]);
  });

  it('is kept when another coin of it is listed later', () => {
    const lists = afterRuns({ 7: RENAMED }, 3);
    lists.registry.set('coin-9', { name: 'Other', symbol: 'render' });
    expect(lists.run({ 7: RENAMED, 9: { symbol: 'render', name: 'Other' } }).of(7)).toEqual([
      'RENDER',
      'Render',
      8,
    ]);
  });
});

describe('rows that may be mixed up', () => {
  it('of two coins that swap symbols keep the registry’s names until it has the others, and their prices', () => {
    const swapped = { 7: registered(8), 8: registered(7) };
    const lists = afterRuns(swapped, 10);
    expect([lists.of(7), lists.of(8)]).toEqual([
      ['C7', 'Coin 7', 8],
      ['C8', 'Coin 8', 9],
    ]);
    lists.registry.set('coin-7', registered(8)).set('coin-8', registered(7));
    lists.run(swapped);
    expect([lists.of(7), lists.of(8)]).toEqual([
      ['C8', 'Coin 8', 8],
      ['C7', 'Coin 7', 9],
    ]);
  });

  it('of two coins that swap everything are refused for as long as they do', () => {
    const swapped = { 7: { ...registered(30), price: 31 }, 30: { ...registered(7), price: 8 } };
    const lists = afterRuns(swapped, 10);
    expect([lists.of(7), lists.of(30)]).toEqual([
      ['C7', 'Coin 7', 'old'],
      ['C30', 'Coin 30', 'old'],
    ]);
  });

  it('of a coin with the symbol of another are refused if its number of coins is another too', () => {
    expect(afterRuns({ 7: { ...registered(8), market_cap: 3e6 * 8 } }, 5).of(7)).toEqual([
      'C7',
      'Coin 7',
      'old',
    ]);
  });

  it('of two coins with one new symbol keep the registry’s names', () => {
    const lists = afterRuns({ 7: RENAMED, 8: RENAMED }, 5);
    expect([lists.of(7), lists.of(8)]).toEqual([
      ['C7', 'Coin 7', 8],
      ['C8', 'Coin 8', 9],
    ]);
  });

  it('are the list that is wrong if a tenth have new symbols, also in the first list and after a day', () => {
    const column = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [index, { symbol: `X${index}`, name: `X ${index}` }]),
    );
    const shifted = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [index, registered((index + 1) % 40)]),
    );
    for (const labels of [column, shifted]) {
      expect(() => new Lists().run(labels)).toThrow(
        /40 of 40 tickers cannot be true, such as .* in place of/,
      );
      expect(() => new Lists().run().run(labels)).toThrow('40 of 40 coins have another name or symbol');
      const lists = new Lists().run();
      for (let day = 0; day < 4; day += 1) {
        lists.time += 24 * 3_600_000;
        lists.run(labels);
        expect(lists.of(7)).toEqual(['C7', 'Coin 7', 8]);
      }
    }
  });
});
