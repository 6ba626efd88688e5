import { describe, expect, it } from 'vitest';
import { ByteCache, bytesInMemory } from './caches.ts';

describe('a cache bounded by bytes', () => {
  it('drops what was used longest ago, as much of it as a new value needs', () => {
    const cache = new ByteCache<string>(400, (value) => value.length);
    for (const key of ['a', 'b', 'c']) cache.set(key, '1'.repeat(75));
    cache.get('a');

    cache.set('d', '1'.repeat(200));

    expect(['a', 'b', 'c', 'd'].filter((key) => cache.has(key))).toEqual(['a', 'd']);
  });

  it('counts a value once that replaces another, and none that is gone', () => {
    const cache = new ByteCache<string>(300, (value) => value.length);
    for (let n = 0; n < 10; n += 1) cache.set('a', '1'.repeat(100));
    cache.set('b', '1'.repeat(100));
    expect(cache.has('a')).toBe(true);
    cache.delete('a');
    cache.delete('a');
    cache.set('c', '1'.repeat(100));

    expect(cache.get('b')).toHaveLength(100);
  });

  it('does not keep what is larger than all of it, nor what it would replace', () => {
    const cache = new ByteCache<string>(100, (value) => value.length);
    cache.set('a', 'old');
    cache.set('a', '1'.repeat(101));

    expect(cache.get('a')).toBeUndefined();
  });
});

describe('the bytes of a value', () => {
  it.each([
    ['a year of candles', 366, 9],
    ['a month of prices', 720, 4],
  ])('are at least what %s takes on the heap', (_what, rows, columns) => {
    const row = (n: number) =>
      Object.fromEntries(Array.from({ length: columns }, (_, c) => [`column${c}`, n + c / 7]));
    const value = Array.from({ length: rows }, (_, n) => row(n));

    // An object's header, and for each column a reference and a number with a fraction.
    expect(bytesInMemory(value)).toBeGreaterThanOrEqual(rows * (24 + columns * 24));
    expect(bytesInMemory(value)).toBeLessThan(rows * (24 + columns * 40));
  });

  it('are those of texts and bytes as well', () => {
    expect(bytesInMemory('1'.repeat(1_000))).toBeGreaterThan(1_000);
    expect(bytesInMemory({ body: Buffer.alloc(5_000) })).toBeGreaterThan(5_000);
    expect(bytesInMemory(new Map([['a', '1'.repeat(1_000)]]))).toBeGreaterThan(1_000);
  });
});
