/** Answers that are nearly right. */
import fc from 'fast-check';

const junk = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    ...[undefined, Infinity, -Infinity, '1e5', 'NaN', 'Infinity', '', ' 1', '0x10', '-5', -5, 0, '0', 1e300],
    ...[1_700_000_000, 1_700_000_000_000, 1.7e18, '2026-01-01', '2026-02-30T00:00:00Z', '\ud800', 'A B'],
    ...['x'.repeat(100), {}, []],
  ),
);

/** A value with some of its fields, at any depth, taken away, repeated or replaced. */
export function mutilated(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) {
    const items = fc.tuple(...value.map(mutilated));
    return fc.oneof(
      { weight: 30, arbitrary: items },
      { weight: 2, arbitrary: items.map((all) => [...all, ...all.slice(0, 2)]) },
      { weight: 2, arbitrary: items.map((all) => all.toReversed()) },
      { weight: 1, arbitrary: junk },
    );
  }
  if (typeof value !== 'object' || value === null)
    return fc.oneof({ weight: 40, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: junk });
  const fields = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mutilated(field)]));
  return fc.oneof({ weight: 60, arbitrary: fc.record(fields) }, { weight: 1, arbitrary: junk });
}

/** An infinite number as one that no double can hold: JSON.stringify makes no such JSON, but others can. */
export function jsonText(json: unknown): string {
  const isInfinite = (value: unknown) => value === Infinity || value === -Infinity;
  const text = JSON.stringify(json, (_key, value) => (isInfinite(value) ? '@huge' : value)) ?? '';
  return text.replaceAll('"@huge"', '1e400');
}
