import {
  type EuroRates,
  isCode,
  isDay,
  isRate,
  RATES_NAME,
  ratesText,
  readRates,
} from '../../../../shared/marketdata/rates/euro-rates.ts';
import type { HeldRates } from '../../../../shared/marketdata/rates/gate.ts';
import { SNAPSHOT_PREFIX } from '../../../../shared/marketdata/snapshot/store.ts';
import { object, text } from '../../../../shared/platform/json-fields.ts';
import { bucketOf, type Opened, openFrom } from '../../../../shared/platform/open-object.ts';
import { replacing } from '../../../../shared/platform/publish-object.ts';

/** Throws what opening and the AWS SDK throw, and ConditionFailed if somebody else was quicker. */
export interface RatesStore {
  published(): Promise<Opened<EuroRates>>;
  /** In place of those with this ETag; undefined: if there are none. */
  publish(rates: EuroRates, etag: string | undefined): Promise<void>;
  /** Rates that are held back until the file of a later day confirms them. */
  held(): Promise<Opened<HeldRates>>;
  hold(held: HeldRates, etag: string | undefined): Promise<void>;
}

const HELD_NAME = 'rates-held.v1';
const JSON_TYPE = 'application/json';

/** The rates in an S3 bucket, beside the snapshot. */
export function ratesStore(bucket: string): RatesStore {
  const { objects, put } = bucketOf(bucket, SNAPSHOT_PREFIX);
  const open = openFrom({ objects, put });
  const find = <T>(name: string, read: (text: string) => T) =>
    open(name, (bytes) => read(Buffer.from(bytes).toString()));

  return {
    published: () => find(RATES_NAME, readRates),
    publish: (rates, etag) => put(RATES_NAME, ratesText(rates), JSON_TYPE, replacing(etag)),
    held: () => find(HELD_NAME, readHeld),
    hold: (held, etag) => put(HELD_NAME, JSON.stringify(held), JSON_TYPE, replacing(etag)),
  };
}

function readHeld(content: string): HeldRates {
  const entries = Object.entries(object(JSON.parse(content), 'the held rates')).map(([code, entry]) => {
    const held = object(entry, code);
    const [day, rate] = [text(held, 'day'), text(held, 'rate')];
    if (!isCode(code) || !isDay(day) || !isRate(rate)) throw new Error(`the held rate of ${code} is none`);
    return [code, { day, rate }] as const;
  });
  return Object.fromEntries(entries);
}
