/**
 * The last stored price of a coin that has none now, for whoever still holds it, and the coin as which it continued. Loaded for
 * such answers only; makes no upstream calls.
 */
import { ApiError } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { DAY_MS } from '../../platform/time.ts';
import { atMost, monotonicMs } from '../../platform/waiting.ts';
import { currentRegistry } from '../../registry/container.ts';
import { successionText } from '../../registry/successors.ts';
import { storedHistory } from '../own-history.ts';
import { dayText, FIRST_DAY } from '../store/names.ts';
import type { StoredHistory } from '../store/stored-history.ts';
import { noPrice } from './convert.ts';
import { decimal, decimalText } from './decimals.ts';

export interface LastPrice {
  readonly price: number;
  /** The beginning of its day, in milliseconds since the epoch. */
  readonly day: number;
}

/** Most coins that stop being traded are asked for within a year. */
const FIRST_REACH_MS = 366 * DAY_MS;
/** The most coins of one answer whose last prices are read, at a time, and for how long. */
const MAX_COINS = 20;
const AT_ONCE = 8;
const READ_WITHIN_MS = 2_000;

/** Undefined if no price is stored, or the store cannot be read. Reads the shards of a year, and earlier ones if they have none. */
export async function lastPrice(store: StoredHistory, id: string): Promise<LastPrice | undefined> {
  const now = Date.now();
  try {
    const since = now - FIRST_REACH_MS;
    const recent = await store.rows(id, { base: '24h', from: since, to: now }, undefined);
    const { candles } =
      recent.candles.length > 0
        ? recent
        : await store.closed(id, { base: '24h', from: FIRST_DAY, to: since });
    const last = candles.at(-1);
    return last && { price: last.close, day: last.opensAt };
  } catch {
    return undefined;
  }
}

/** `the last one was 0.0123 USD on 2026-03-04`; undefined without one. */
export async function lastPriceText(store: StoredHistory, id: string): Promise<string | undefined> {
  const last = await lastPrice(store, id);
  return last && `the last one was ${decimalText(decimal(last.price))} USD on ${dayText(last.day)}`;
}

/** The 404 of a provider for a coin, which names its last price and its successor if they are known. */
export async function withLastPrice(
  environment: Environment,
  id: string,
  error: ApiError,
): Promise<ApiError> {
  const text = await pastText(environment, id);
  return text === undefined ? error : ApiError.notFound(`No price of ${id} is known now; ${text}`);
}

/** Why coins have no price, by their ids; with the last ones. */
export async function noPriceTexts(
  environment: Environment,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const readUntil = monotonicMs() + READ_WITHIN_MS;
  const texts = new Map(ids.map((id) => [id, noPrice(id)]));
  await atMost(AT_ONCE, [...texts.keys()].slice(0, MAX_COINS), async (id) => {
    const text = monotonicMs() > readUntil ? undefined : await pastText(environment, id);
    if (text === undefined) return;
    const isActive = currentRegistry()?.isActive(id) ?? true;
    texts.set(id, `${isActive ? noPrice(id) : `No price of ${id} is known now`}; ${text}`);
  });
  return texts;
}

async function pastText(environment: Environment, id: string): Promise<string | undefined> {
  const registry = currentRegistry();
  const texts = [
    await lastPriceText(storedHistory(environment), id),
    registry && successionText(id, registry),
  ].filter((text) => text !== undefined);
  return texts.length > 0 ? texts.join('; ') : undefined;
}
