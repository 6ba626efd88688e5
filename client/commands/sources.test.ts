import { expect, test } from 'vitest';
import { coinProvider } from '../../shared/providers/index.ts';
import { exchanges, ratesSources, tokenSources } from '../../shared/providers/sources.ts';
import { ofRates } from '../../test/client/stub-api.ts';
import type { Provenance } from './provenance.ts';
import { conversionText, pastConversionText, titleOf } from './sources.ts';

test('a source has the title that the service gives it, and an unknown one has none', () => {
  for (const { name, title } of [
    coinProvider,
    ...exchanges.values(),
    ...tokenSources,
    ...Object.values(ratesSources),
  ])
    expect(titleOf(name)).toBe(title);
  for (const name of ['other', 'constructor', '']) expect(titleOf(name)).toBeUndefined();
});

const NOW = Date.UTC(2026, 0, 31, 12);

function textOf(changes: Partial<Provenance> = {}, day = '2026-01-30'): string {
  const provenance = { ...ofRates, ...changes };
  return conversionText({ currency: 'EUR', rate: 0.8, digits: 17, day, provenance }, NOW);
}

test('a rate is shown with its day and source', () => {
  expect(textOf()).toBe('in EUR at the rate of 30 January (European Central Bank)');
  expect(textOf({}, '2025-12-31')).toBe('in EUR at the rate of 31 December 2025 (European Central Bank)');
  expect(textOf({ sources: [] })).toBe('in EUR at the rate of 30 January');
});

test.each<[string, Partial<Provenance>, string]>([
  ['simulated', { sources: [], isSimulated: true }, '(simulated)'],
  ['stale', { quality: 'stale' }, '(European Central Bank, out of date: newer rates are missing)'],
  [
    'kept too long by a cache',
    { outdatedMs: 1 },
    '(European Central Bank, out of date: newer rates are missing)',
  ],
])('a rate that is %s has a remark', (_what, changes, remark) => {
  expect(textOf(changes)).toBe(`in EUR at the rate of 30 January ${remark}`);
});

test('the rates of past candles are those of their times, and the current one has its day', () => {
  const conversion = { currency: 'XAU', rate: 0.00025, digits: 17, day: '2026-01-30', provenance: ofRates };
  expect(pastConversionText(conversion, false, NOW)).toBe(
    'in XAU (troy ounces of gold), each at the rate of its time',
  );
  const stale = { ...conversion, currency: 'EUR', provenance: { ...ofRates, quality: 'stale' as const } };
  expect(pastConversionText(stale, true, NOW)).toBe(
    'in EUR, each at the rate of its time, the last at that of 30 January (out of date: newer rates are missing)',
  );
});
