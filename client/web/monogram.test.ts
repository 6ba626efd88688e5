import { expect, test } from 'vitest';
import { hueOf } from './monogram.ts';

test('a coin keeps its colour, and neighbours have different ones', () => {
  const ids = ['btc-bitcoin', 'eth-ethereum', 'bnb-binance-coin', 'sol-solana', 'xrp-xrp', 'usdt-tether'];
  const hues = ids.map(hueOf);
  expect(hues).toEqual(ids.map(hueOf));
  expect(new Set(hues).size).toBe(ids.length);
  for (const hue of hues) expect(hue >= 0 && hue < 360).toBe(true);
});
