import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ByteCache } from './caches.ts';
import { type Entry, Held } from './held.ts';

const FOR_MS = 60_000;
const never = () => new Promise<never>(() => {});

describe('a held value', () => {
  let reads: (string | undefined)[];
  let next: () => Promise<string>;
  let failures: unknown[];
  let held: Held<string>;
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 20) });
    reads = [];
    next = async () => `value ${reads.length}`;
    failures = [];
    held = new Held({
      ...{ readMs: 2000, cache: new ByteCache<Entry<string>>(1000, ({ value }) => value?.length ?? 0) },
      onFailure: (error) => failures.push(error),
    });
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

  it('stays for ten seconds after a failed read', async () => {
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
    expect(failures).toHaveLength(2);
  });

  it('is waited for only for a while if an older one is held', async () => {
    await get();
    later(FOR_MS);
    next = never;
    const got = get('a', 50);
    await vi.advanceTimersByTimeAsync(50);
    expect(await got).toBe('value 1');
  });

  it('is not read again for ten seconds after a time-out, whether or not there is an older one', async () => {
    await get();
    later(FOR_MS);
    next = never;
    const outcomes = [get('a'), get('b').catch((error: Error) => error.message)];
    await vi.advanceTimersByTimeAsync(2001);
    expect(await Promise.all(outcomes)).toEqual(['value 1', 'no result within 2 s']);

    await vi.advanceTimersByTimeAsync(9_998);
    expect(await get('a')).toBe('value 1');
    await expect(get('b')).rejects.toThrow('no result within 2 s');
    expect(reads).toHaveLength(3);
    next = async () => 'newer';
    await vi.advanceTimersByTimeAsync(2);
    expect(await Promise.all([get('a'), get('b')])).toEqual(['newer', 'newer']);
  });

  it('that could not be read at once is read again by the next request if there is no older one', async () => {
    next = () => Promise.reject(new Error('refused'));
    await expect(get()).rejects.toThrow('refused');
    next = async () => 'value';
    expect(await get()).toBe('value');
  });

  it('that may not stay is not used after a failure', async () => {
    held = new Held({ readMs: 2000, mayStay: (error) => !(error instanceof RangeError), rests: () => true });
    await get();
    later(FOR_MS);
    next = () => Promise.reject(new Error('no answer'));
    expect(await get()).toBe('value 1');
    later(10_000);
    next = () => Promise.reject(new RangeError('removed'));
    await expect(get()).rejects.toThrow('removed');
    await expect(get()).rejects.toThrow('removed');
    expect(reads).toHaveLength(3);
  });

  it('that is known from elsewhere is used while a newer one is looked for', async () => {
    held.put('a', 'known');
    next = never;
    const got = get('a', 50);
    await vi.advanceTimersByTimeAsync(50);
    expect([await got, reads, held.peek('a')]).toEqual(['known', ['known'], 'known']);
  });

  it('is dropped when memory runs out, the least recently used one first', async () => {
    next = async () => 'x'.repeat(400);
    for (const key of ['a', 'b', 'a', 'c', 'a']) await get(key);
    expect(reads).toHaveLength(3);
    await get('b');
    expect(reads).toHaveLength(4);
  });
});
