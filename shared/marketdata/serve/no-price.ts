/** Why coins have no price, with the last one that each had. Loaded for answers that lack a price. */
import type { Environment } from '../../platform/environment.ts';
import { atMost, monotonicMs } from '../../platform/waiting.ts';
import { currentRegistry } from '../../registry/container.ts';
import { noPrice } from './convert.ts';
import { pastText } from './last-price.ts';

/** The most coins of one answer whose last prices are read, at a time, and for how long. */
const MAX_COINS = 20;
const AT_ONCE = 8;
const READ_WITHIN_MS = 2_000;

/** The texts by the coins' ids. */
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
