import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSuggestions } from './suggestions.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function suggestions(answer: (query: string) => Promise<void> = () => Promise.resolve()) {
  const asked: string[] = [];
  const signals: AbortSignal[] = [];
  let changes = 0;
  const made = createSuggestions({
    async search(query, signal) {
      asked.push(query);
      signals.push(signal);
      await answer(query);
      return [{ id: `${query}-id`, name: query, symbol: query }];
    },
    onChange() {
      changes += 1;
    },
  });
  return { ...made, asked, signals, changes: () => changes };
}

test('asks for what was typed last, after a pause', async () => {
  const { ask, asked, found, isAsking } = suggestions();
  for (const query of ['b', 'bi', ' BIT ']) ask(query);
  expect([isAsking(), asked]).toEqual([true, []]);
  await vi.advanceTimersByTimeAsync(200);
  expect([isAsking(), asked]).toEqual([false, ['bit']]);
  expect(found('bit')?.map(({ id }) => id)).toEqual(['bit-id']);
});

test('gives up a request that is not wanted any more, and its answer', async () => {
  const { ask, signals, found, changes } = suggestions(
    (query) => new Promise((resolve) => setTimeout(resolve, query === 'bit' ? 1000 : 0)),
  );
  ask('bit');
  await vi.advanceTimersByTimeAsync(200);
  ask('eth');
  expect(signals[0]?.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(2000);
  expect([found('bit'), found('eth')?.length, changes()]).toEqual([undefined, 1, 1]);
});

test('asks once for each query', async () => {
  const { ask, asked } = suggestions();
  for (const query of ['bit', 'eth', 'bit']) {
    ask(query);
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(asked).toEqual(['bit', 'eth']);
});

test('tells a failure until something else is asked for, and then asks again', async () => {
  let isDown = true;
  const { ask, asked, failure } = suggestions(() =>
    isDown ? Promise.reject(new Error('down')) : Promise.resolve(),
  );
  ask('bit');
  await vi.advanceTimersByTimeAsync(200);
  expect(failure()).toEqual(new Error('down'));
  isDown = false;
  ask('bit');
  expect(failure()).toBe(undefined);
  await vi.advanceTimersByTimeAsync(200);
  expect([failure(), asked]).toEqual([undefined, ['bit', 'bit']]);
});
