import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import type { Received } from '../../../../shared/marketdata/provider.ts';
import { type DayRates, type EuroRates, ratesText } from '../../../../shared/marketdata/rates/euro-rates.ts';
import {
  isWhollyOff,
  measureOf,
  unconfirmedRates,
  withFormer,
} from '../../../../shared/marketdata/rates/gate.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { again } from '../../../../shared/platform/publish-object.ts';
import type { RatesStore } from './store.ts';

export interface PublishedRates {
  readonly day: string;
  readonly currencies: number;
  /** False: they were published already. */
  readonly isNew: boolean;
  /** Why the former rate of a currency stays, if any do. */
  readonly held?: readonly string[];
}

/**
 * Publishes rates that follow the published ones; those that nothing confirms are held back, and their former ones stay.
 * Throws Implausible for rates of an earlier day, and if a fifth of them would be held back; and what the store throws.
 */
export function publishRates(
  { data: { day, rates }, source }: Received<DayRates>,
  store: RatesStore,
): Promise<PublishedRates> {
  const found: EuroRates = { day, source, rates };
  return again(async () => {
    const { content: published, etag } = await store.published();
    const before = measureOf(published);
    if (before && day < before.day)
      throw new Implausible(
        'Older',
        `Not published: rates of ${day}, where those of ${before.day} are known`,
      );
    const held = before ? await heldBack(found, before, store) : new Map<string, string>();
    const next = withFormer(found, before, held);
    const summary = {
      day,
      currencies: Object.keys(next.rates).length,
      ...(held.size > 0 && { held: [...held.values()] }),
    };
    if (published && ratesText(published) === ratesText(next)) return { ...summary, isNew: false };
    await store.publish(next, etag);
    return { ...summary, isNew: true };
  });
}

/** The rates that are held back, each with why; noted, so that the file of a later day may confirm them. */
async function heldBack(
  found: EuroRates,
  before: EuroRates,
  store: RatesStore,
): Promise<ReadonlyMap<string, string>> {
  const { day, rates } = found;
  if (unconfirmedRates(found, before, {}).size === 0) return new Map();
  const { content: noted = {}, etag } = await store.held();
  const held = unconfirmedRates(found, before, noted);
  if (held.size === 0) return held;
  const now = Object.fromEntries([...held.keys()].map((code) => [code, { day, rate: rates[code] ?? '' }]));
  const next = { ...noted, ...now };
  if (JSON.stringify(next) !== JSON.stringify(noted)) await store.hold(next, etag);
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
