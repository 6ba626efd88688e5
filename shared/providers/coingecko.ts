import { addressOn, marketChains } from '../chains.ts';
import { ApiError } from '../http/errors.ts';
import type { ListedCoin, ListedPrice, Offering } from '../marketdata/provider.ts';
import { array, label, numberOrNull, object, readRows, text } from '../platform/json-fields.ts';

const URL = 'https://api.coingecko.com/api/v3';
const ROWS = 250;
const chainsByPlatform = new Map(marketChains.map((chain) => [chain.platform, chain]));

/** CoinGecko's public API without a key (docs.coingecko.com): its list of coins, and prices to compare with ours. */
export const coingecko = {
  name: 'coingecko',
  title: 'CoinGecko',
  terms: {
    summary: 'Free, without a key. Show “Data provided by CoinGecko”, with a link, where its ids are used.',
    url: 'https://www.coingecko.com/en/api_terms',
  },
  isPaid: false,
  scheduledProbes: false,
  limits: {
    requestsPerSecond: 0.2, // 5 to 15 a minute without a key, by how busy it is
    per: 'service',
    rows: { candles: 0, prices: 0 },
    latest: { candles: 0, prices: 0 },
  },
  settings: { baseUrl: 'COINGECKO_BASE_URL' },
  probePath: '/ping',
  endpoint: ({ COINGECKO_BASE_URL: configured }) => ({ baseUrl: configured ?? URL, headers: {} }),

  listedCoins: () => ({ path: '/coins/list?include_platform=true', read: readCoins }),
  listedPrices: (page) => ({
    path: `/coins/markets?vs_currency=usd&order=market_cap_desc&per_page=${ROWS}&page=${page}`,
    read: readPrices,
  }),
  refusal: ({ status }) => new ApiError(502, `CoinGecko answered ${status}`),
} as const satisfies Offering<'listedCoins' | 'listedPrices'>;

/** Contracts on chains that we do not know are left out. */
function readCoins(json: unknown): ListedCoin[] {
  return readRows(array(json, 'the answer'), (item) => {
    const coin = object(item, 'a coin');
    const contracts = Object.entries(object(coin.platforms ?? {}, 'platforms')).flatMap(
      ([platform, address]) => {
        const chain = chainsByPlatform.get(platform);
        const written = chain && typeof address === 'string' ? addressOn(chain, address) : undefined;
        return chain && written !== undefined ? [`${chain.name}:${written}`] : [];
      },
    );
    return [{ id: text(coin, 'id'), name: label(coin, 'name'), symbol: label(coin, 'symbol'), contracts }];
  });
}

function readPrices(json: unknown): ListedPrice[] {
  return readRows(array(json, 'the answer'), (item) => {
    const coin = object(item, 'a coin');
    const price = numberOrNull(coin, 'current_price');
    const marketCap = numberOrNull(coin, 'market_cap');
    return [{ id: text(coin, 'id'), price, marketCap }];
  });
}
