import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoreError, signatureOf } from '../binary-file.ts';
import { openRow, openRows, openTable } from './rows.ts';
import { encodeRows } from './rows-writer.ts';

const format = { signature: signatureOf('TEST'), version: 7, name: 'Test', error: StoreError };
const header = { time: 1.5, seconds: 60, source: 'coinpaprika' };
const anyRows = fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 40 })), {
  selector: ([id]) => id,
  maxLength: 20,
});
const fileOf = (rows: Iterable<readonly [string, Uint8Array]>, text = 'a text') =>
  encodeRows(format, { header, text, rows });
const three = new Map(['a', 'b', 'c'].map((id) => [id, Buffer.from(`content of ${id}`)] as const));

describe('a file of rows', () => {
  it('returns the written rows, whole and by range', () => {
    fc.assert(
      fc.property(anyRows, fc.integer({ min: 72, max: 400 }), (given, requested) => {
        const file = fileOf(given);
        const rows = given.filter(([id]) => id.isWellFormed());

        const whole = openRows(format, file);

        expect(whole).toMatchObject({ text: 'a text', count: rows.length, damaged: [], header });
        expect([...whole.entries()].map(([id]) => id)).toEqual(
          rows.map(([id]) => id).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
        );
        const first = openTable(format, file.subarray(0, requested), requested);
        const table = typeof first === 'number' ? openTable(format, file.subarray(0, first), first) : first;
        if (typeof table === 'number') throw new Error('a third read');
        for (const [id, content] of rows) {
          const [from, to] = table.rangeOf(id) ?? [0, -1];
          expect(openRow(format, table, file.subarray(from, to + 1), id)).toEqual(Buffer.from(content));
          expect(whole.content(id)).toEqual(Buffer.from(content));
        }
        expect(table.rangeOf('not there')).toBe(undefined);
      }),
    );
  });

  it('never returns a changed byte, and a damaged row affects no other', () => {
    const file = fileOf(three);
    for (let at = 0; at < file.length; at += 1) {
      const damaged = Buffer.from(file);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      let opened: ReturnType<typeof openRows>;
      try {
        opened = openRows(format, damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(StoreError);
        continue;
      }
      expect(opened.damaged.length).toBeLessThan(2);
      expect(opened.header).toMatchObject(header);
      for (const [id, content] of three)
        if (!opened.damaged.includes(id)) expect(opened.content(id)).toEqual(content);
    }
    const damagedRow = Buffer.from(file);
    damagedRow[file.indexOf('content of b')] = 0;
    expect(openRows(format, damagedRow).damaged).toEqual(['b']);
  });

  it('refuses truncated bytes, another version, and another row', () => {
    const file = fileOf(three);
    for (let length = 0; length < file.length; length += 1) {
      const beginning = file.subarray(0, length);
      expect(() => openRows(format, beginning)).toThrow(StoreError);
      expect(() => openTable(format, beginning, file.length)).toThrow(StoreError);
    }
    expect(() => openRows(format, Buffer.concat([file, Buffer.alloc(1)]))).toThrow(
      /bytes, but \d+ in its header/,
    );
    expect(() => openRows({ ...format, version: 8 }, file)).toThrow('format version 7');
    const table = openTable(format, file, file.length);
    if (typeof table === 'number') throw new Error('one read is enough');
    const [from, to] = table.rangeOf('a') ?? [0, 0];
    const row = file.subarray(from, to + 1);
    expect(() => openRow(format, table, row, 'b')).toThrow('another row in place of b');
    const other = openTable(format, fileOf(three, 'another text'), 10_000);
    if (typeof other === 'number') throw new Error('one read is enough');
    expect(() => openRow(format, other, row, 'a')).toThrow('another row in place of a');
  });
});
