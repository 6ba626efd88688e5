/** Apart from the provider's other offers: only a weekly job asks, and no route has to load it. */
import type { Offering, Offers } from '../../marketdata/provider.ts';
import type { Contract } from '../../marketdata/sources/token.ts';
import { array, object, readRows, text } from '../../platform/json-fields.ts';
import { coinpaprika } from './index.ts';

const offers: Pick<Offers, 'platforms' | 'contracts'> = {
  platforms: () => ({ path: '/contracts', read: readPlatforms }),
  contracts: (platform) => ({ path: `/contracts/${encodeURIComponent(platform)}`, read: readContracts }),
};

export const coinpaprikaContracts: Offering<'platforms' | 'contracts'> = { ...coinpaprika, ...offers };

export function readPlatforms(json: unknown): string[] {
  return array(json, 'the answer').map((item) => {
    if (typeof item !== 'string') throw new Error('a platform is not a text');
    return item;
  });
}

/** `active` is in the answers, and not in the description of the API: a contract without it is as good as any. */
export function readContracts(json: unknown): Contract[] {
  return readRows(array(json, 'the answer'), (item) => {
    const source = object(item, 'a contract');
    return [
      { coinId: text(source, 'id'), address: text(source, 'address'), isActive: source.active !== false },
    ];
  });
}
