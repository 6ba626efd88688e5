import { expect, test } from 'vitest';
import { stored } from './stored.ts';

function memory(): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    clear: () => items.clear(),
    getItem: (key) => items.get(key) ?? null,
    key: (index) => [...items.keys()][index] ?? null,
    removeItem: (key) => void items.delete(key),
    setItem: (key, value) => void items.set(key, value),
  };
}

const numberOr0 = (value: unknown) => (typeof value === 'number' ? value : 0);

test('a value is read as it was written, by another reader too', () => {
  const storage = memory();
  stored(() => storage, 'count', numberOr0).write(3);
  expect(stored(() => storage, 'count', numberOr0).read()).toBe(3);
});

test('what is not acceptable, or no JSON, is replaced', () => {
  const storage = memory();
  const count = stored(() => storage, 'count', numberOr0);
  storage.setItem('count', '"three"');
  expect(count.read()).toBe(0);
  storage.setItem('count', '{broken');
  expect(count.read()).toBe(0);
});

test('without a storage a value lives as long as the page', () => {
  const count = stored(
    () => {
      throw new Error('SecurityError');
    },
    'count',
    numberOr0,
  );
  expect(count.read()).toBe(0);
  count.write(3);
  expect(count.read()).toBe(3);
});
