import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import {
  type HeldRates,
  isLive,
  isWhollyOff,
  measureOf,
  mustAgree,
  only,
  unconfirmedRates,
} from '../../../../shared/marketdata/gate/rates.ts';
import type { DayRates, Received } from '../../../../shared/marketdata/provider.ts';
import {
  dayOfRate,
  type EuroRates,
  isCode,
  isDay,
  isRate,
  RATES_NAME,
  ratesText,
  readRates,
  sourceOfRate,
} from '../../../../shared/marketdata/rates.ts';
import { object, text } from '../../../../shared/platform/json-fields.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { replacing, retryOnConflict } from '../../../../shared/platform/objects.ts';
import { type Bucket, jsonIn, openFrom } from '../../../../shared/platform/stored-object.ts';

/** What a source has given: its rates, or why there are none. */
export interface Given {
  /** The source's name. */
  readonly name: string;
  readonly received: Received<DayRates> | Error;
}

export interface PublishedRates {
  readonly rates: EuroRates;
  readonly day: string;
  readonly currencies: number;
  /** False if the same rates were published before. */
  readonly isNew: boolean;
  /** The currencies whose former rate stays, each with the reason; absent if all are new. */
  readonly held?: readonly string[];
  /** Why a source's rates were not published. */
  readonly refused: { readonly reference?: Error; readonly blend?: Error };
}

/** Rates that may be published, and the reasons for those that may not, by currency code. */
interface Believed {
  readonly rates: EuroRates;
  readonly held: ReadonlyMap<string, string>;
}

const HELD_NAME = 'rates-held.v1';
const JSON_TYPE = 'application/json';

/**
 * Publishes rates after the published ones. A currency's rate is the reference rate, or its former one while that may be used; else
 * the blended rate; else the former one. Throws an Error if neither source has rates that can be used.
 */
export function publishRates(reference: Given, blend: Given, bucket: Bucket): Promise<PublishedRates> {
  return retryOnConflict(async () => {
    const { content: published, etag } = await openFrom(bucket)(RATES_NAME, (bytes) =>
      readRates(Buffer.from(bytes).toString()),
    );
    const before = measureOf(published);
    const ofReference = await believedOf(reference, before, bucket);
    const known = ofReference instanceof Error ? undefined : ofReference.rates;
    const first = joined([
      known,
      before && only(before, (code) => sourceOfRate(before, code) === reference.name),
    ]);
    const ofBlend = await believedOf(blend, before, bucket, (fetched) => {
      mustAgree(fetched.rates, (known ?? joined([before]))?.rates ?? {}, 'Not published: the rates');
      return only(fetched, (code) => first?.rates[code] === undefined);
    });
    if (ofReference instanceof Error && ofBlend instanceof Error)
      throw new Error(`${ofReference.message}; ${blend.name}: ${ofBlend.message}`);
    const blended = ofBlend instanceof Error ? undefined : ofBlend.rates;
    const next = joined([first, blended, before]);
    if (!next?.rates.USD) throw new Implausible('Drop', 'Not published: no rate for USD');
    const isNew = !published || ratesText(published) !== ratesText(next);
    if (isNew) await bucket.put(RATES_NAME, ratesText(next), JSON_TYPE, replacing(etag));
    const held = [ofReference, ofBlend].flatMap((one) =>
      one instanceof Error ? [] : [...one.held.values()],
    );
    return {
      ...{ rates: next, day: next.day, currencies: Object.keys(next.rates).length, isNew },
      ...(held.length > 0 && { held }),
      refused: {
        ...(ofReference instanceof Error && { reference: ofReference }),
        ...(ofBlend instanceof Error && { blend: ofBlend }),
      },
    };
  });
}

/** Those of a source's rates, or of a selection of them, that may be published; or why none of them may. */
async function believedOf(
  { received }: Given,
  before: EuroRates | undefined,
  bucket: Bucket,
  select = (fetched: EuroRates) => fetched,
): Promise<Believed | Error> {
  if (received instanceof Error) return received;
  const fetched = { ...received.data, source: received.source };
  try {
    mustBeLatest(fetched, before);
    const rates = select(fetched);
    const held = before ? await holdBack(rates, before, bucket) : new Map<string, string>();
    return { rates: only(rates, (code) => !held.has(code)), held };
  } catch (error) {
    if (error instanceof Implausible) return error;
    throw error;
  }
}

/** Throws Implausible for rates of an earlier day than the published ones of their source. */
function mustBeLatest({ day, source, rates }: EuroRates, before: EuroRates | undefined): void {
  if (!before) return;
  const codes = Object.keys(rates).filter(
    (code) => before.rates[code] !== undefined && sourceOfRate(before, code) === source,
  );
  const latest = newest(codes.map((code) => dayOfRate(before, code)));
  if (day >= latest) return;
  throw new Implausible(
    'Older',
    `Not published: rates of ${day} are older than the published ones of ${latest}`,
  );
}

/** Each currency's rate of the first that has one that may still be used, with its day and source; undefined if none has any. */
function joined(layers: readonly (EuroRates | undefined)[]): EuroRates | undefined {
  const chosen = new Map<string, { readonly rate: string; readonly day: string; readonly source: string }>();
  for (const layer of layers)
    for (const [code, rate] of Object.entries(layer?.rates ?? {})) {
      if (!layer || chosen.has(code) || !isLive(dayOfRate(layer, code))) continue;
      chosen.set(code, { rate, day: dayOfRate(layer, code), source: sourceOfRate(layer, code) });
    }
  const [first] = chosen.values();
  if (!first) return undefined;
  const { source } = first;
  const all = [...chosen];
  const day = newest(all.flatMap(([, one]) => (one.source === source ? one.day : [])));
  const textsOf = (name: 'rate' | 'day' | 'source', usual?: string) =>
    Object.fromEntries(all.flatMap(([code, one]) => (one[name] === usual ? [] : [[code, one[name]]])));
  return {
    day,
    source,
    rates: textsOf('rate'),
    days: textsOf('day', day),
    sources: textsOf('source', source),
  };
}

function newest(days: readonly string[]): string {
  return days.reduce((latest, day) => (day > latest ? day : latest), '');
}

/**
 * Stores unconfirmed rates, so that those of a later day may confirm them; returns the reasons by code. Throws Implausible if a fifth
 * of a source's rates are unconfirmed.
 */
async function holdBack(
  fetched: EuroRates,
  before: EuroRates,
  bucket: Bucket,
): Promise<ReadonlyMap<string, string>> {
  const { rates } = fetched;
  if (unconfirmedRates(fetched, before, {}).size === 0) return new Map();
  const { content: stored = {}, etag } = await openFrom(bucket)(HELD_NAME, readHeld);
  const held = unconfirmedRates(fetched, before, stored);
  if (held.size === 0) return held;
  const added = Object.fromEntries(
    [...held.keys()].map((code) => [code, { day: dayOfRate(fetched, code), rate: rates[code] ?? '' }]),
  );
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
