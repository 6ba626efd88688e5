import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { StoredCandle } from '../store/stored-candle.ts';

type Value = string | bigint | number | null;
type Read = (candle: StoredCandle, id: string) => Value;
type Column = readonly [name: string, type: Omit<SchemaElement, 'name'>, read: Read];

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' } as const;
const price = { type: 'DOUBLE', repetition_type: 'REQUIRED' } as const;
const amount = { type: 'DOUBLE', repetition_type: 'OPTIONAL' } as const;
const time = {
  type: 'INT64',
  repetition_type: 'REQUIRED',
  // UTC without a zone: with one, DuckDB in New York shows a day's candle under the day before.
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' },
} as const;

const columns: readonly Column[] = [
  ['coin_id', text, (_, id) => id],
  ['time', time, ({ opensAt }) => BigInt(opensAt)],
  ['open', price, ({ open }) => open],
  ['high', price, ({ high }) => high],
  ['low', price, ({ low }) => low],
  ['close', price, ({ close }) => close],
  ['volume', amount, ({ volume }) => volume],
  ['market_cap', amount, ({ market_cap }) => market_cap],
  ['source', text, ({ source }) => source],
  ['quality', text, ({ quality }) => quality],
];
const schema: SchemaElement[] = [
  { name: 'candles', num_children: columns.length },
  ...columns.map(([name, type]) => ({ name, ...type })),
];
/** Larger groups need more memory, and are no smaller per row. */
const ROWS_PER_GROUP = 10_000;

/** A Parquet file of candles in the routes' format, made in memory. */
export class CandleParquet {
  rows = 0;
  readonly #parts: Uint8Array[] = [];
  readonly #writer = new ByteWriter();
  readonly #file = new ParquetWriter({ writer: this.#writer, schema, createdBy: 'marketdata-api' });
  /** Values instead of candles: objects that live as long as a group make the heap larger by 100 MB. */
  readonly #group = columns.map(([name, { type }, read]) => ({ name, type, read, data: [] as Value[] }));

  add(id: string, candle: StoredCandle): void {
    for (const { data, read } of this.#group) data.push(read(candle, id));
    this.rows += 1;
    if (this.rows % ROWS_PER_GROUP === 0) this.#writeGroup();
  }

  /** The whole file; nothing can be added after that. */
  end(): Uint8Array {
    this.#writeGroup();
    this.#file.finish();
    this.#takePart();
    return Buffer.concat(this.#parts);
  }

  #writeGroup(): void {
    this.#file.write({
      rowGroupSize: ROWS_PER_GROUP,
      columnData: this.#group.map(({ name, type, data }) => ({
        ...{ name, data },
        // A fifth smaller than plain prices.
        ...(type === 'DOUBLE' && { encoding: 'BYTE_STREAM_SPLIT' as const }),
      })),
    });
    for (const { data } of this.#group) data.length = 0;
    this.#takePart();
  }

  /** The writer's own buffer would double with every growth. */
  #takePart(): void {
    this.#parts.push(this.#writer.getBytes().slice());
    this.#writer.index = 0;
  }
}
