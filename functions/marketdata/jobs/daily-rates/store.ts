import {
  type EuroRates,
  RATES_NAME,
  ratesText,
  readRates,
} from '../../../../shared/marketdata/rates/euro-rates.ts';
import { SNAPSHOT_PREFIX } from '../../../../shared/marketdata/snapshot/store.ts';
import { object } from '../../../../shared/platform/json-fields.ts';
import { nothingYet, objectsOf } from '../../../../shared/platform/objects.ts';
import { publisherOf, replacing } from '../../../../shared/platform/publish-object.ts';

/** Rates that are refused until they are told for longer. */
export interface DoubtedRates {
  /** Since when, in milliseconds since the epoch. */
  readonly since: number;
  readonly rates: EuroRates;
}

/** Undefined content: there is none, or none that can be used, which is no reason to leave it there. */
export interface Found<T> {
  readonly content: T | undefined;
  readonly etag: string | undefined;
}

/** Throws what reading and the AWS SDK throw, and ConditionFailed if somebody else was quicker. */
export interface RatesStore {
  published(): Promise<Found<EuroRates>>;
  /** In place of those with this ETag; undefined: if there are none. */
  publish(rates: EuroRates, etag: string | undefined): Promise<void>;
  doubted(): Promise<Found<DoubtedRates>>;
  doubt(doubted: DoubtedRates, etag: string | undefined): Promise<void>;
}

const DOUBTED_NAME = `${RATES_NAME}-doubted`;
const JSON_TYPE = 'application/json';
const TIMEOUT_MS = 10_000;

/** The rates in an S3 bucket, beside the snapshot. */
export function ratesStore(bucket: string): RatesStore {
  const objects = objectsOf(bucket, SNAPSHOT_PREFIX);
  const put = publisherOf(bucket, SNAPSHOT_PREFIX);

  async function find<T>(name: string, read: (text: string) => T): Promise<Found<T>> {
    const found = await objects.get(name, AbortSignal.timeout(TIMEOUT_MS)).catch(nothingYet);
    return { content: found && usable(() => read(Buffer.from(found.bytes).toString())), etag: found?.etag };
  }

  return {
    published: () => find(RATES_NAME, readRates),
    publish: (rates, etag) => put(RATES_NAME, ratesText(rates), JSON_TYPE, replacing(etag)),
    doubted: () => find(DOUBTED_NAME, readDoubted),
    doubt: ({ since, rates }, etag) =>
      put(DOUBTED_NAME, `{"since":${since},"rates":${ratesText(rates)}}`, JSON_TYPE, replacing(etag)),
  };
}

function readDoubted(content: string): DoubtedRates {
  const { since, rates } = object(JSON.parse(content), 'the doubted rates');
  if (typeof since !== 'number') throw new Error('since is not a number');
  return { since, rates: readRates(JSON.stringify(rates)) };
}

function usable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
