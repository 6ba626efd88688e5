import type { Hex } from 'viem';
import { encodeAbiParameters, toHex } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { uniswapNodeAt } from '../fixtures/uniswap.ts';
import { metadataOf, symbolOf } from './token-metadata.ts';

const asString = (text: string) => encodeAbiParameters([{ type: 'string' }], [text]);
const token = '0x00000000000000000000000000000000000000A1';

describe('a symbol', () => {
  it.each([
    ['a string', asString('USDC'), 'USDC'],
    ['the bytes of early tokens, filled with zeros', `0x4d4b52${'0'.repeat(58)}` as const, 'MKR'],
    ['text of other scripts', asString('币安人生'), '币安人生'],
    ['text that turns the line around', asString('\u202eCDSU\u202c'), 'CDSU'],
    ['lines', asString('A\nB\u2028C\u0000'), 'ABC'],
    ['nothing visible', asString('\u200b '), null],
    ['a long text', asString('x'.repeat(10_000)), 'x'.repeat(32)],
    ['a long text of wide characters', asString('🐕'.repeat(40)), '🐕'.repeat(32)],
    ['no string', '0x1234', null],
    ['a string that is longer than the answer', asString('USDC').slice(0, 132) as Hex, null],
    ['a length that no memory holds', `0x${'0'.repeat(62)}20${'f'.repeat(64)}` as const, null],
  ] as const)('from %s', (_what, answer, expected) => {
    expect(symbolOf(answer)).toBe(expected);
  });
});

describe('decimals', () => {
  it.each([
    [toHex(0, { size: 32 }), 0],
    [toHex(255, { size: 32 }), 255],
    [toHex(256, { size: 32 }), null],
    [undefined, null],
    ['0x12' as const, 0],
  ] as const)('from %s', (answer, decimals) => {
    expect(metadataOf(uniswapNodeAt('http://127.0.0.1:9'), token, [undefined, answer])).toEqual({
      symbol: null,
      decimals,
    });
  });
});
