import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { typeOf } from './typescript.ts';

const said = (schema: unknown, input = false) =>
  typeOf(JSON.parse(JSON.stringify(schema)), { input }).replace(/\s+/g, ' ');

describe('typeOf', () => {
  it.each([
    [Type.String({ minLength: 1, format: 'date' }), 'string'],
    [Type.String({ pattern: '^0x[0-9a-f]*$' }), '`0x$' + '{string}`'],
    [Type.Integer({ minimum: 1 }), 'number'],
    [Type.Number({ exclusiveMinimum: 0 }), 'number'],
    [Type.Boolean({ default: true }), 'boolean'],
    [Type.Null(), 'null'],
    [Type.Unknown({ description: 'whatever' }), 'unknown'],
    [Type.Literal('usd'), '"usd"'],
    [Type.Enum(['a', 'b']), '"a" | "b"'],
    [Type.Union([Type.Number(), Type.Null()]), 'number | null'],
    [{ type: ['string', 'integer', 'number'], maxLength: 5 }, 'string | number'],
    [
      Type.Intersect([Type.Object({ a: Type.Null() }), Type.Object({ b: Type.Null() })]),
      '({ a: null; }) & ({ b: null; })',
    ],
    [Type.Array(Type.Union([Type.String(), Type.Null()])), '(string | null)[]'],
    [Type.Record(Type.String(), Type.Number()), 'Record<string, number>'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'Record<string, string>'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', additionalProperties: false }, 'Record<string, never>'],
    [
      Type.Object({ id: Type.String(), rank: Type.Optional(Type.Integer()) }),
      '{ id: string; rank?: number; }',
    ],
    [Type.Object({ '24h': Type.Number() }), '{ "24h": number; }'],
  ])('says %j as %s', (schema, type) => {
    expect(said(schema)).toBe(type);
  });

  it('lets nothing of an input be changed, and what is optional be given as undefined', () => {
    const schema = Type.Object({
      holdings: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Number()))),
    });
    expect(said(schema, true)).toBe(
      '{ readonly holdings?: readonly (Readonly<Record<string, number>>)[] | undefined; }',
    );
  });

  it('writes description, range and default as comments that end where they should', () => {
    const limit = Type.Integer({ description: 'how many, as */5', minimum: 1, maximum: 9, default: 3 });
    expect(said(Type.Object({ limit }))).toBe(
      '{ /** how many, as *\\/5; from 1 to 9; 3 by default */ limit: number; }',
    );
  });

  it.each([
    Type.Never(),
    Type.Tuple([Type.String()]),
    { type: ['string', 'set'] },
    { type: 'date' },
    { $ref: '#/somewhere' },
    { type: 'string', contentEncoding: 'base64' },
    { type: 'object', properties: { a: {} }, additionalProperties: true },
    { minimum: 1 },
    true,
  ])('throws on %j', (schema) => {
    expect(() => said(schema)).toThrow(/schema/);
  });
});
