/** Holdings without a price, or under a symbol that no active, ranked coin has. Loaded for those alone. */
import { noPriceTexts } from '../../../shared/marketdata/serve/no-price.ts';
import type { Environment } from '../../../shared/platform/environment.ts';
import { messageOf } from '../../../shared/platform/message-of.ts';
import type { RegistryLookups } from '../../../shared/registry/lookups.ts';
import { equalCoin } from '../../../shared/registry/successors.ts';

/** The coin that a former symbol leads to, or why there is none. */
export function formerCoin(symbol: string, registry: RegistryLookups) {
  const reason = 'unknown' as const;
  try {
    const former = equalCoin(symbol, registry);
    if (former) return { ...former.entry, predecessor: former.predecessor };
  } catch (error) {
    return { reason, message: messageOf(error) };
  }
  return { reason, message: `Unknown symbol: ${symbol}; /api/marketdata/search finds coins` };
}

/** The holdings without a price now, which have no message, get its text. */
export async function withTexts<
  Missing extends { readonly reason: string; readonly id: string | null; readonly message: string },
>(missing: readonly Missing[], environment: Environment): Promise<Missing[]> {
  const unpriced = missing.flatMap(({ reason, id }) => (reason === 'unpriced' && id !== null ? id : []));
  const texts = await noPriceTexts(environment, unpriced);
  return missing.map((one) =>
    one.reason === 'unpriced' && one.message === ''
      ? { ...one, message: texts.get(one.id ?? '') ?? one.message }
      : one,
  );
}
