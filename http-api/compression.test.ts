import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { compressed } from './compression.ts';

const text = Buffer.from('price '.repeat(500));

describe('a body', () => {
  test.each([
    ['br, gzip', 'br'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0.0, gzip', 'gzip'],
    ['br;q=0.1', 'br'],
    ['*', undefined],
    ['', undefined],
  ] as const)('for a client that accepts "%s" is encoded as %s', (accepted, encoding) => {
    const { body, headers } = compressed(text, 'application/json; charset=utf-8', accepted);
    const original = { br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Buffer) => bytes };
    expect(original[encoding ?? 'none'](Buffer.from(body))).toEqual(text);
    expect(headers).toEqual({ vary: 'accept-encoding', ...(encoding && { 'content-encoding': encoding }) });
  });

  test.each([
    ['below 1,000 bytes', text.subarray(0, 999), 'text/html'],
    ['above 10 MB', Buffer.alloc(10_000_001), 'text/html'],
    ['of a type that is compressed in itself', text, 'image/png'],
    ['of unknown type', text, undefined],
  ])('%s stays as it is', (_what, body, type) => {
    const answer = compressed(body, type, 'br');
    expect(answer.headers).toEqual({});
    expect(answer.body).toBe(body);
  });
});
