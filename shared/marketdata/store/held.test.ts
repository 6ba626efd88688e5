import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Held } from './held.ts';

const FOR_MS = 60_000;
const never = () => new Promise<never>(() => {});

describe('a held value', () => {
  let reads: (string | undefined)[];
  let next: () => Promise<string>;
  let held: Held<string>;
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 20) });
    reads = [];
    next = async () => `value ${reads.length}`;
    held = new Held({ maxBytes: 1000, bytesOf: (value) => value.length, readMs: 2000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const get = (key = 'a', waitMs?: number) =>
    held.get(key, {
      read: (_signal, before) => {
        reads.push(before);
        return next();
      },
      untilOf: (_value, now) => now + FOR_MS,
      ...(waitMs !== undefined && { waitMs }),
    });
  const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

  it('is read once for concurrent requests, and again when a newer one may exist', async () => {
    expect(await Promise.all([get(), get()])).toEqual(['value 1', 'value 1']);
    later(FOR_MS - 1);
    expect(await get()).toBe('value 1');
    later(1);
    expect(await get()).toBe('value 2');
    expect(reads).toEqual([undefined, 'value 1']);
  });

  it('is read again if the clock was set back', async () => {
    await get();
    later(-FOR_MS);
    expect(await get()).toBe('value 2');
  });

  it('stays for ten seconds after a failed read; without a value the read throws', async () => {
    await get();
    later(FOR_MS);
    next = () => Promise.reject(new Error('no answer'));
    expect(await get()).toBe('value 1');
    later(9_999);
    expect(await get()).toBe('value 1');
    expect(reads).toHaveLength(2);
    later(1);
    expect(await get()).toBe('value 1');
    expect(reads).toHaveLength(3);
    await expect(get('b')).rejects.toThrow('no answer');
  });

  it('is waited for only for a while if an older one is held', async () => {
    await get();
    later(FOR_MS);
    next = never;
    const got = get('a', 50);
    await vi.advanceTimersByTimeAsync(50);
    expect(await got).toBe('value 1');
  });

  it('is read again, and waited for, if the read was frozen with its container', async () => {
    await get();
    later(FOR_MS);
    next = never;
    void get('a', 0);
    later(2001); // nothing ran meanwhile
    next = async () => 'newer';
    expect(await get('a', 0)).toBe('newer');
    expect(reads).toHaveLength(3);
  });

  it('is dropped when memory runs out, the least recently used one first', async () => {
    next = async () => 'x'.repeat(400);
    for (const key of ['a', 'b', 'a', 'c', 'a']) await get(key);
    expect(reads).toHaveLength(3);
    await get('b');
    expect(reads).toHaveLength(4);
  });
});
