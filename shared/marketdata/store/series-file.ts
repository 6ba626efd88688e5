import { type FileFormat, HEADER_BYTES, seal, signatureOf, unseal } from '../binary-file.ts';
import { CANDLE_BYTES, MAX_SOURCES, readCandle, writeCandle } from './candle-row.ts';
import { versions } from './names.ts';
import { StoreError } from './store-error.ts';
import type { StoredCandle } from './stored-candle.ts';

/** Candles of one coin and one length. Times in milliseconds since the epoch. */
export interface Series {
  readonly id: string;
  readonly stepMs: number;
  /** Ascending, one to an interval; those without a candle are left out. */
  readonly candles: readonly StoredCandle[];
  /** Providers were asked for all that opened in here: what is missing does not exist. Undefined: nobody was. */
  readonly asked: Asked | undefined;
  /** The object in which the candles before were set aside: nobody is asked for what is missing meanwhile. */
  readonly setAside?: string | undefined;
}

export interface Asked {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/**
 * A coin's candles: the header of `binary-file.ts` (the first one's opening, seconds of an interval, no name); the bytes
 * of the text that follows (32 bits); JSON in UTF-8 with `id`, `sources`, `asked`, if providers were asked, and
 * `setAside`, if something is; then a row (`candle-row.ts`) for each interval from the first to the last one, whether there is a candle or not.
 */
const format: FileFormat = {
  signature: signatureOf('CNDL'),
  version: versions.series,
  name: 'Candles',
  error: StoreError,
};
const TEXT_FROM = HEADER_BYTES + 4;

interface Text {
  readonly id: string;
  readonly sources: readonly string[];
  readonly asked?: Asked | undefined;
  readonly setAside?: string | undefined;
}

/** Throws StoreError if there are more sources than a candle can name. */
export function encodeSeries({ id, stepMs, candles, asked, setAside }: Series): Uint8Array {
  const [first, last] = [candles[0]?.opensAt ?? 0, candles.at(-1)?.opensAt ?? 0];
  const rows = candles.length === 0 ? 0 : Math.round((last - first) / stepMs) + 1;
  const sources = [...new Set(candles.map(({ source }) => source))];
  if (sources.length > MAX_SOURCES)
    throw new StoreError(`Candles of ${id}: more than ${MAX_SOURCES} sources`);
  const text = Buffer.from(JSON.stringify({ id, sources, asked, setAside } satisfies Text));
  const rowsFrom = TEXT_FROM + text.length;
  const file = Buffer.alloc(rowsFrom + rows * CANDLE_BYTES);
  file.writeUInt32LE(text.length, HEADER_BYTES);
  text.copy(file, TEXT_FROM);
  for (const candle of candles) {
    const row = Math.round((candle.opensAt - first) / stepMs);
    writeCandle(file, rowsFrom + row * CANDLE_BYTES, candle, sources.indexOf(candle.source), stepMs);
  }
  return seal(file, format, { rows, time: first, seconds: stepMs / 1000, source: '' });
}

/** Throws StoreError, also for the candles of another coin or length than is expected, if one is. */
export function openSeries(bytes: Uint8Array, expected?: Pick<Series, 'id' | 'stepMs'>): Series {
  const { file, rows, time, seconds } = unseal(bytes, format);
  const stepMs = seconds * 1000;
  const rowsFrom = TEXT_FROM + file.readUInt32LE(HEADER_BYTES);
  const { id, sources, asked, setAside } = JSON.parse(file.toString('utf8', TEXT_FROM, rowsFrom)) as Text; // written above
  if (expected && (id !== expected.id || stepMs !== expected.stepMs)) {
    throw new StoreError(`Candles: those of ${id} by ${seconds} s in place of ${expected.id}`);
  }
  const candles = Array.from({ length: rows }, (_, row) =>
    readCandle(file, rowsFrom + row * CANDLE_BYTES, time + row * stepMs, stepMs, sources),
  ).filter((candle) => candle !== undefined);
  return { id, stepMs, candles, asked, ...(setAside !== undefined && { setAside }) };
}
