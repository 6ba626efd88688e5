import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import type { Received } from '../../../../shared/marketdata/provider.ts';
import { type DayRates, type EuroRates, ratesText } from '../../../../shared/marketdata/rates/euro-rates.ts';
import { jumpIn, measureOf } from '../../../../shared/marketdata/rates/gate.ts';
import { again } from '../again.ts';
import type { RatesStore } from './store.ts';

export interface PublishedRates {
  readonly day: string;
  readonly currencies: number;
  /** False: they were published already. */
  readonly isNew: boolean;
}

/** Two runs later, which are never quite twelve hours apart. */
const CONFIRMED_MS = 11 * 3_600_000;

/**
 * Publishes rates that follow the published ones. Throws Implausible for those of an earlier day, and for a rate that
 * jumped, until the same rates have been told for half a day; and what the store throws.
 */
export function publishRates(
  { data: { day, rates }, source }: Received<DayRates>,
  store: RatesStore,
): Promise<PublishedRates> {
  const found: EuroRates = { day, source, rates };
  const told = { day, currencies: Object.keys(rates).length };
  return again(async () => {
    const { content: published, etag } = await store.published();
    if (published && ratesText(published) === ratesText(found)) return { ...told, isNew: false };
    const before = measureOf(published);
    if (before && day < before.day)
      throw new Implausible(
        'Older',
        `Not published: rates of ${day}, where those of ${before.day} are known`,
      );
    const jump = jumpIn(found, before);
    if (jump && !(await isConfirmed(found, store)))
      throw new Implausible('Jump', `Not published until it is told for half a day: ${jump}`);
    await store.publish(found, etag);
    return { ...told, isNew: true };
  });
}

/** Whether the same rates were refused half a day ago; if there is no note of them, they are noted now. */
async function isConfirmed(found: EuroRates, store: RatesStore): Promise<boolean> {
  const now = Date.now();
  const { content: doubted, etag } = await store.doubted();
  // A clock that was set back must not keep them out for longer.
  const isSame = doubted && doubted.since <= now && ratesText(doubted.rates) === ratesText(found);
  if (isSame) return now - doubted.since >= CONFIRMED_MS;
  await store.doubt({ since: now, rates: found }, etag);
  return false;
}
