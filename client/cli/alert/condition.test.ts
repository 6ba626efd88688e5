import { describe, expect, test } from 'vitest';
import { tickerOf } from '../../../test/client/stub-api.ts';
import type { PriceResult } from '../../commands/result.ts';
import { alertText, desktopCommand, doubtOf } from './alert.ts';
import { conditionOf, holds } from './condition.ts';

const NOON = Date.UTC(2026, 0, 31, 12);
const provenance = {
  sources: ['coinbase'],
  isSimulated: false,
  quality: 'exact',
  madeAt: NOON,
  outdatedMs: undefined,
  freshUntil: 0,
} as const;
const coin = { id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC', alternatives: 0, isActive: true };

/** Bitcoin at 67,123.456 dollars, 2.314 % more than a day ago. */
function priced(
  usd: Parameters<typeof tickerOf>[1] = {},
  origin: Partial<PriceResult['prices'][number]['provenance']> = {},
): PriceResult {
  return {
    kind: 'price',
    command: { name: 'price', symbols: ['BTC'], protocol: 'coinpaprika' },
    prices: [{ coin, data: tickerOf({}, usd), provenance: { ...provenance, ...origin } }],
    missing: [],
  };
}

const euros = { currency: 'EUR', rate: 0.5, digits: 17, day: '2026-01-30', provenance };

describe('a condition', () => {
  test.each([
    ['>67000', true],
    ['>67123.456', false],
    ['>=67_123.456', true],
    ['<67123.457', true],
    ['<=67000', false],
    ['24h>2%', true],
    ['24H >= 2.314%', true],
    ['24h<-5%', false],
    ['7d<=-1%', true],
    ['1y>+59.9%', true],
  ])('%s', (text, isTrue) => {
    expect(holds(conditionOf([text], 'BTC'), priced())).toBe(isTrue);
  });

  test('is of the price in the currency of the command', () => {
    const result = { ...priced(), conversion: euros };
    expect(holds(conditionOf(['>40000'], 'BTC'), result)).toBe(false);
    expect(holds(conditionOf(['>33561'], 'BTC'), result)).toBe(true);
  });

  test('of an unknown price is neither true nor false', () => {
    expect(holds(conditionOf(['>1'], 'BTC'), priced({ price: null as never }))).toBeUndefined();
    expect(
      holds(conditionOf(['7d>1%'], 'BTC'), priced({ percent_change_7d: null as never })),
    ).toBeUndefined();
  });

  test.each([
    ['170000', 'it needs one of > >= < <='],
    ['>>1', '">1" is not a price'],
    ['>1,5', '"1,5" is not a price'],
    ['>1e5', '"1e5" is not a price'],
    ['>', '"" is not a price'],
    ['>5%', 'a change is over one of 15m, 30m, 1h'],
    ['24h>5', 'a change is in percent'],
    ['constructor>5%', 'a change is over one of'],
  ])('%j is a usage error that says so', (text, message) => {
    expect(() => conditionOf([text], 'BTC')).toThrow(message);
  });
});

test.each([
  ['exact', priced(), undefined],
  ['sampled', priced({}, { quality: 'sampled' }), undefined],
  ['stale', priced({}, { quality: 'stale' }), /^the price is stale/],
  ['disputed', priced({}, { quality: 'disputed' }), /^exchanges dispute/],
  ['out of date', priced({}, { outdatedMs: 5 }), /^the price is out of date/],
  [
    'at a stale rate',
    { ...priced(), conversion: { ...euros, provenance: { ...provenance, quality: 'stale' } } },
    /^the exchange rate/,
  ],
  ['without a price', priced({ price: null as never }), /^the price is not known/],
] as const)('a price that is %s', (_which, result, doubt) => {
  const text = doubtOf(conditionOf(['>1'], 'BTC'), result);
  if (doubt === undefined) expect(text).toBeUndefined();
  else expect(text).toMatch(doubt);
});

test('an alert is one line with coin, price, condition, source and time', () => {
  expect(alertText(conditionOf(['>67000'], 'BTC'), priced(), NOON)).toBe(
    'Bitcoin (BTC) is at $67,123.46, above $67,000.00 (Coinbase, as of 12:00 UTC)',
  );
  expect(
    alertText(conditionOf(['24h>2%'], 'BTC'), priced({}, { sources: [], isSimulated: true }), NOON),
  ).toBe(
    'Bitcoin (BTC) is at $67,123.46, 24h +2.31%, above +2.00% (simulated data, not real prices, as of 12:00 UTC)',
  );
});

test('the desktop of Linux is notified where there is one, with no markup and no options', () => {
  expect(desktopCommand('-x <b>&', { DISPLAY: ':0' }, 'linux')).toEqual([
    'notify-send',
    '--app-name=marketdata',
    '--',
    'Price alert',
    '-x &lt;b&gt;&amp;',
  ]);
  expect(desktopCommand('x', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toHaveLength(5);
  expect(desktopCommand('x', {}, 'linux')).toEqual([]);
  expect(desktopCommand('x', { DISPLAY: ':0' }, 'win32')).toEqual([]);
});

test('on macOS the text is an argument of the script, not a part of it', () => {
  const [command, , script, title, text] = desktopCommand('" & (do shell script "id")', {}, 'darwin');
  expect([command, title, text]).toEqual(['osascript', 'Price alert', '" & (do shell script "id")']);
  expect(script).not.toContain('do shell');
});
