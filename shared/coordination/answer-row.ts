import { ApiError } from '../http/errors.ts';
import { lifetimes } from '../marketdata/lifetimes.ts';
import { DoubtedRefusal, GoneCoin, type Received, UnusableAnswer } from '../marketdata/provider.ts';
import type { Kept } from '../marketdata/provider-client.ts';
import { EXPIRY_ATTRIBUTE, expiryAt, numberIn, type Row, textIn, type Value } from './table.ts';

/** Writes and reads the errors that all instances may be told instead of asking again. */
export interface ErrorCodec {
  /** Undefined for errors that are this instance's own affair. */
  write(error: unknown): string | undefined;
  read(text: string): Error;
}

/** DynamoDB takes 400 KB an item, names and numbers included. */
const MAX_BODY_BYTES = 390 * 1024;
const MAX_JSON_BYTES = 32 * 1024 * 1024;

/** The attributes of an answer; undefined if it is too large for an item. */
export function answerAttributes<T>(answer: Kept<T>): Record<string, Value> | undefined {
  const { data, source, madeAt, freshUntil, staleUntil } = answer;
  const { gzipSync } = process.getBuiltinModule('node:zlib');
  const body = gzipSync(JSON.stringify({ data, source, madeAt } satisfies Received<T>));
  if (body.length > MAX_BODY_BYTES) return undefined;
  return { body, freshUntil, staleUntil, [EXPIRY_ATTRIBUTE]: expiryAt(staleUntil) };
}

/** The answer in a row, fresh or not; undefined if there is none, or none that is of any use any more. */
export function answerIn<T>(row: Row | undefined, now: number): Kept<T> | undefined {
  const body = row?.body;
  const [freshUntil, staleUntil] = [numberIn(row, 'freshUntil'), numberIn(row, 'staleUntil')];
  // Rows may be there for days after their expiry: the code checks.
  if (!(body instanceof Uint8Array) || freshUntil === undefined || staleUntil === undefined) return undefined;
  if (now >= staleUntil) return undefined;
  try {
    const { gunzipSync } = process.getBuiltinModule('node:zlib');
    const json = gunzipSync(body, { maxOutputLength: MAX_JSON_BYTES }).toString('utf8');
    const received = JSON.parse(json) as Received<T>; // written above
    return { ...received, storedAt: now, freshUntil, staleUntil };
  } catch {
    return undefined; // an unreadable answer is asked for anew
  }
}

/** The attributes of a failure, beside the answer in the row; undefined if others have to see for themselves. */
export function refusalAttributes(
  error: unknown,
  codec: ErrorCodec,
  path: string,
  now: number,
  row: Row | undefined,
): Record<string, Value> | undefined {
  const refusal = codec.write(error);
  if (refusal === undefined) return undefined;
  const refusalUntil = now + rememberedMs(error);
  const attributes = { refusal, refusalUntil, refusedPath: path };
  return row?.body === undefined ? { ...attributes, [EXPIRY_ATTRIBUTE]: expiryAt(refusalUntil) } : attributes;
}

function rememberedMs(error: unknown): number {
  if (error instanceof DoubtedRefusal) return lifetimes.doubtMs;
  if (error instanceof UnusableAnswer) return lifetimes.unusableMs;
  if (error instanceof GoneCoin) return lifetimes.inactiveMs;
  const isLasting = error instanceof ApiError && (error.isLasting || error.statusCode === 404);
  return isLasting ? lifetimes.sharedRefusalMs : lifetimes.sharedFailureMs;
}

/** The refusal that the row holds, in force or not. */
export function lastRefusalIn(row: Row | undefined, codec: ErrorCodec): Error | undefined {
  const text = textIn(row, 'refusal');
  return text === undefined ? undefined : codec.read(text);
}

/** A refusal of this path in force; `isNews` if it came while this instance waited for it, whatever its clock says. */
export function refusalIn(
  row: Row | undefined,
  codec: ErrorCodec,
  path: string,
  now: number,
  isNews: boolean,
): Error | undefined {
  const [text, until] = [textIn(row, 'refusal'), numberIn(row, 'refusalUntil')];
  if (text === undefined || until === undefined) return undefined;
  // A plan that refuses all of a history may give a part of it, which is kept under the same key.
  if (textIn(row, 'refusedPath') !== path) return undefined;
  return isNews || now < until ? codec.read(text) : undefined;
}
