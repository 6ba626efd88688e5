import type { Hex } from 'viem';
import { encodeAbiParameters, toHex } from 'viem/utils';
import { expect, it } from 'vitest';
import { tokenInfo } from './tokens.ts';

const asString = (text: string) => encodeAbiParameters([{ type: 'string' }], [text]);
const token = '0x00000000000000000000000000000000000000A1';

it.each([
  ['a string', asString('USDC'), 'USDC'],
  ['the bytes of early tokens, filled with zeros', `0x4d4b52${'0'.repeat(58)}` as const, 'MKR'],
  ['text of other scripts', asString('币安人生'), '币安人生'],
  ['text that reverses the line', asString('\u202eCDSU\u202c'), 'CDSU'],
  ['lines', asString('A\nB\u2028C\u0000'), 'A B C'],
  ['nothing visible', asString('\u200b '), null],
  ['an emoji that is cut', asString(`${'x'.repeat(30)}👩‍🚀`), `${'x'.repeat(30)}👩`],
  ['a long text of wide characters', asString('🐕'.repeat(10_000)), '🐕'.repeat(32)],
  ['no string', '0x1234', null],
  ['a string that is longer than the result', asString('USDC').slice(0, 132) as Hex, null],
  ['a length beyond any memory', `0x${'0'.repeat(62)}20${'f'.repeat(64)}` as const, null],
] as const)('the symbol of a token is made safe: %s', (_what, answer, symbol) => {
  expect(tokenInfo(token, [answer])).toEqual({ address: token, symbol, decimals: null });
});

it.each([
  [toHex(255, { size: 32 }), 255],
  [toHex(256, { size: 32 }), null],
  ['0x12' as const, 0],
  [undefined, null],
])('decimals of %s are read as %s', (answer, decimals) => {
  expect(tokenInfo(token, [undefined, answer])).toEqual({ address: token, symbol: null, decimals });
});
