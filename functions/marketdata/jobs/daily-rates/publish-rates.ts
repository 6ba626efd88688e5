import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import type { Received } from '../../../../shared/marketdata/provider.ts';
import {
  type DayRates,
  type EuroRates,
  isCode,
  isDay,
  isRate,
  RATES_NAME,
  ratesText,
  readRates,
} from '../../../../shared/marketdata/rates/euro-rates.ts';
import {
  type HeldRates,
  isWhollyOff,
  measureOf,
  unconfirmedRates,
  withFormer,
} from '../../../../shared/marketdata/rates/gate.ts';
import { object, text } from '../../../../shared/platform/json-fields.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { again, replacing } from '../../../../shared/platform/objects.ts';
import { type Bucket, jsonIn, openFrom } from '../../../../shared/platform/stored-object.ts';

export interface PublishedRates {
  readonly day: string;
  readonly currencies: number;
  /** False: they were published already. */
  readonly isNew: boolean;
  /** Why the former rate of a currency stays, if any do. */
  readonly held?: readonly string[];
}

const HELD_NAME = 'rates-held.v1';
const JSON_TYPE = 'application/json';

/**
 * Publishes rates that follow the published ones; those that nothing confirms are held back, and their former ones stay.
 * Throws Implausible for rates of an earlier day, and if a fifth of them would be held back; and what opening and putting
 * throw.
 */
export function publishRates({ data, source }: Received<DayRates>, bucket: Bucket): Promise<PublishedRates> {
  const fetched: EuroRates = { ...data, source };
  const { day } = fetched;
  const open = openFrom(bucket);
  return again(async () => {
    const { content: published, etag } = await open(RATES_NAME, (bytes) =>
      readRates(Buffer.from(bytes).toString()),
    );
    const before = measureOf(published);
    if (before && day < before.day)
      throw new Implausible(
        'Older',
        `Not published: rates of ${day}, where those of ${before.day} are known`,
      );
    const held = before ? await heldBack(fetched, before, bucket) : new Map<string, string>();
    const next = withFormer(fetched, before, held);
    const isNew = !published || ratesText(published) !== ratesText(next);
    if (isNew) await bucket.put(RATES_NAME, ratesText(next), JSON_TYPE, replacing(etag));
    const currencies = Object.keys(next.rates).length;
    return { day, currencies, isNew, ...(held.size > 0 && { held: [...held.values()] }) };
  });
}

/** The rates that are held back, each with why; noted, so that the file of a later day may confirm them. */
async function heldBack(
  fetched: EuroRates,
  before: EuroRates,
  bucket: Bucket,
): Promise<ReadonlyMap<string, string>> {
  const { day, rates } = fetched;
  if (unconfirmedRates(fetched, before, {}).size === 0) return new Map();
  const { content: noted = {}, etag } = await openFrom(bucket)(HELD_NAME, heldIn);
  const held = unconfirmedRates(fetched, before, noted);
  if (held.size === 0) return held;
  const now = Object.fromEntries([...held.keys()].map((code) => [code, { day, rate: rates[code] ?? '' }]));
  const next = { ...noted, ...now };
  const text = JSON.stringify(next);
  if (text !== JSON.stringify(noted)) await bucket.put(HELD_NAME, text, JSON_TYPE, replacing(etag));
  if (isWhollyOff(rates, held)) {
    const [first] = held.values();
    throw new Implausible(
      'Jump',
      `Not published until a later day agrees: ${held.size} rates, of which ${first}`,
    );
  }
  count('ImplausibleJump', held.size);
  return held;
}

function heldIn(bytes: Uint8Array): HeldRates {
  const entries = Object.entries(object(jsonIn(bytes), 'the held rates')).map(([code, entry]) => {
    const held = object(entry, code);
    const [day, rate] = [text(held, 'day'), text(held, 'rate')];
    if (!isCode(code) || !isDay(day) || !isRate(rate)) throw new Error(`the held rate of ${code} is none`);
    return [code, { day, rate }] as const;
  });
  return Object.fromEntries(entries);
}
