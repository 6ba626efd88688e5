import Type, { type TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import { sharedTypes } from './shared-types.ts';

const pool = () => Type.Object({ fee: Type.Integer() });
const dataOf = (prefix: string, schema: TSchema) => ({
  name: `${prefix}Data`,
  prefix,
  schema: JSON.parse(JSON.stringify(schema)),
});
/** The names of the types that are declared beside the data, by the data that has them first. */
const declared = (...schemas: readonly TSchema[]) => {
  const all = schemas.map((schema, index) => dataOf(`Route${index}`, schema));
  const shared = sharedTypes(all);
  return all.map((data) => shared.firstIn(data).map(({ name }) => name));
};

describe('an object type', () => {
  it('that stands once is none of them', () => {
    const data = dataOf('Route', Type.Object({ pool: pool() }));
    const shared = sharedTypes([data]);
    expect(shared.firstIn(data)).toEqual([]);
    expect(shared.nameOf(data.schema)).toBeUndefined();
    expect(shared.nameOf(data.schema.properties.pool)).toBeUndefined();
  });

  it('that is the data of a route has the name of that, also in an answer before it', () => {
    const list = dataOf('List', Type.Object({ results: Type.Array(pool()) }));
    const one = dataOf('One', pool());
    const shared = sharedTypes([list, one]);
    expect(shared.nameOf(one.schema)).toBe('OneData');
    expect(shared.firstIn(list)).toEqual([]);
    expect(shared.firstIn(one)).toEqual([]);
  });

  it('is the same with another description of itself, and not with another of a field', () => {
    const described = Type.Object({ fee: Type.Integer() }, { description: 'the deepest' });
    const other = Type.Object({ fee: Type.Integer({ description: 'in millionths' }) });
    expect(declared(Type.Object({ first: pool(), best: described }))).toEqual([['Route0First']]);
    expect(declared(Type.Object({ first: pool(), best: other }))).toEqual([[]]);
  });

  it('is called by the property that has it first, in the singular if that is a list', () => {
    const lists = Type.Object({ pools: Type.Array(pool()), others: Type.Array(pool()) });
    expect(declared(lists, Type.Object({ pool: pool() }))).toEqual([['Route0Pool'], []]);
    expect(declared(Type.Object({ data: Type.Array(pool()), best: pool() }))).toEqual([['Route0DataItem']]);
  });

  it('of a union is called by its field of one value', () => {
    const coin = Type.Object({ kind: Type.Literal('coin'), id: Type.String() });
    const currency = Type.Object({ kind: Type.Enum(['currency']), code: Type.String() });
    const either = Type.Union([coin, currency, Type.Null()]);
    expect(declared(Type.Object({ from: either, to: either }))).toEqual([['Route0Coin', 'Route0Currency']]);
  });

  it('is looked for in dictionaries, and what a shared one holds is no type of its own', () => {
    const holder = Type.Object({ pool: pool() });
    const tables = Type.Object({ best: holder, byName: Type.Record(Type.String(), holder) });
    expect(declared(tables)).toEqual([['Route0Best']]);
  });

  it('is refused if another has its name', () => {
    const other = Type.Object({ other: Type.Null() });
    const both = Type.Object({
      pool: pool(),
      inner: Type.Object({ pool: other, more: other }),
      last: pool(),
    });
    expect(() => declared(both)).toThrow('Two types of the client would be called Route0Pool');
    const data = Type.Object({ data: pool(), best: pool() });
    expect(() => declared(data)).toThrow('Two types of the client would be called Route0Data');
  });
});
