import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import {
  type HeldRates,
  isWhollyOff,
  measureOf,
  unconfirmedRates,
  withFormer,
} from '../../../../shared/marketdata/gate/rates.ts';
import type { DayRates, ProviderClient, Received } from '../../../../shared/marketdata/provider.ts';
import {
  type EuroRates,
  isCode,
  isDay,
  isRate,
  RATES_NAME,
  ratesLastUntil,
  ratesText,
  readRates,
} from '../../../../shared/marketdata/rates.ts';
import { SNAPSHOT_PREFIX } from '../../../../shared/marketdata/store/current-snapshot.ts';
import { environment } from '../../../../shared/platform/environment.ts';
import { object, text } from '../../../../shared/platform/json-fields.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { objectsOf, replacing, retryOnConflict } from '../../../../shared/platform/objects.ts';
import { countPublished, scheduled } from '../../../../shared/platform/scheduled.ts';
import { type Bucket, jsonIn, openFrom } from '../../../../shared/platform/stored-object.ts';
import { ratesClientFor } from '../../../../shared/providers/sources.ts';
import { bucketIn } from '../bucket-in.ts';
import { addToPast } from './past.ts';

interface PublishedRates {
  readonly day: string;
  readonly currencies: number;
  /** False if the same rates were published before. */
  readonly isNew: boolean;
  /** The currencies whose former rate stays, each with the reason; absent if all are new. */
  readonly held?: readonly string[];
  /** Why the rates of past days are not complete; absent if they are. */
  readonly past?: string;
}

const HELD_NAME = 'rates-held.v1';
const JSON_TYPE = 'application/json';
/** The time limits for the rates of the day, and for those of all days since 1999, which are 8 MB; with their retry. */
const TIME_MS = { day: 10_000, past: 30_000 };

/** The container's client, which remembers the source's `Retry-After`. */
let client: ProviderClient<'rates' | 'pastRates'> | undefined;

/** Publishes the latest day's rates. Throws if they cannot be fetched or are implausible, so that the run is repeated. */
export const handler = scheduled(() =>
  countPublished('RatesPublished', run, ({ day }) => Date.now() < ratesLastUntil(day)),
);

async function run(): Promise<PublishedRates> {
  const settings = environment();
  const bucket = objectsOf(bucketIn(settings, 'SNAPSHOT_BUCKET'), SNAPSHOT_PREFIX);
  client ??= ratesClientFor(settings);
  const { fetch, provider } = client;
  const fetched = await fetch(provider.rates(), Date.now() + TIME_MS.day);
  const { rates, ...published } = await publishRates(fetched, bucket);
  try {
    await addToPast(rates, bucket, async () => {
      return (await fetch(provider.pastRates(), Date.now() + TIME_MS.past)).data;
    });
  } catch (error) {
    // The day's rates matter more, and the next run tries again.
    return { ...published, past: messageOf(error) };
  }
  return published;
}

/**
 * Publishes rates after the published ones. Holds back unconfirmed ones, whose former rates stay. Throws Implausible for rates
 * of an earlier day, and if a fifth of them would be held back.
 */
function publishRates(
  { data, source }: Received<DayRates>,
  bucket: Bucket,
): Promise<PublishedRates & { readonly rates: EuroRates }> {
  const fetched: EuroRates = { ...data, source };
  const { day } = fetched;
  return retryOnConflict(async () => {
    const { content: published, etag } = await openFrom(bucket)(RATES_NAME, (bytes) =>
      readRates(Buffer.from(bytes).toString()),
    );
    const before = measureOf(published);
    if (before && day < before.day)
      throw new Implausible(
        'Older',
        `Not published: rates of ${day} are older than the published ones of ${before.day}`,
      );
    const held = before ? await holdBack(fetched, before, bucket) : new Map<string, string>();
    const next = withFormer(fetched, before, held);
    const isNew = !published || ratesText(published) !== ratesText(next);
    if (isNew) await bucket.put(RATES_NAME, ratesText(next), JSON_TYPE, replacing(etag));
    const currencies = Object.keys(next.rates).length;
    return { rates: next, day, currencies, isNew, ...(held.size > 0 && { held: [...held.values()] }) };
  });
}

/** Stores unconfirmed rates, so that the file of a later day may confirm them; returns the reasons by code. */
async function holdBack(
  fetched: EuroRates,
  before: EuroRates,
  bucket: Bucket,
): Promise<ReadonlyMap<string, string>> {
  const { day, rates } = fetched;
  if (unconfirmedRates(fetched, before, {}).size === 0) return new Map();
  const { content: stored = {}, etag } = await openFrom(bucket)(HELD_NAME, readHeld);
  const held = unconfirmedRates(fetched, before, stored);
  if (held.size === 0) return held;
  const added = Object.fromEntries([...held.keys()].map((code) => [code, { day, rate: rates[code] ?? '' }]));
  const content = JSON.stringify({ ...stored, ...added });
  if (content !== JSON.stringify(stored)) await bucket.put(HELD_NAME, content, JSON_TYPE, replacing(etag));
  if (isWhollyOff(fetched, held)) {
    const [first] = held.values();
    throw new Implausible(
      'Jump',
      `Not published until a later day agrees: ${held.size} rates, such as ${first}`,
    );
  }
  count('ImplausibleJump', held.size);
  return held;
}

function readHeld(bytes: Uint8Array): HeldRates {
  const entries = Object.entries(object(jsonIn(bytes), 'the held rates')).map(([code, entry]) => {
    const held = object(entry, code);
    const day = text(held, 'day');
    const rate = text(held, 'rate');
    if (!isCode(code) || !isDay(day) || !isRate(rate)) throw new Error(`the held rate of ${code} is invalid`);
    return [code, { day, rate }] as const;
  });
  return Object.fromEntries(entries);
}
