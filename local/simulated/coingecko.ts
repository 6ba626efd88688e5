/** CoinGecko without a key: its list of coins, and pages of their prices. */
import { type SimulatedListing, simulatedListings } from '../../registry-layer/simulated/listing.ts';
import { chainOfCoin } from '../../shared/chains.ts';
import { isoSeconds, type Market, MINUTE_MS, priceAt } from './market.ts';
import { integerOf, json, type Protocol, Refused, statusText } from './protocol.ts';
import { contractsOf, platforms } from './tokens.ts';
import { seedOf, uniform } from './walk.ts';

const MAX_ROWS = 250;
/** The largest difference between the prices of two providers. */
const DIFFERENCE = 0.004;
const LIMIT_S = '60';

export function coingecko(market: Market): Protocol {
  const listed = simulatedListings.filter(({ priced }) => !priced || market.asset(priced.id));
  const addresses = addressesIn(market);

  /** A coin's price and market cap; one without a simulated price gets one from its id. */
  function figuresOf({ id, priced, part }: SimulatedListing, ms: number) {
    const asset = priced && market.asset(priced.id);
    const own = uniform(seedOf(id), 0);
    if (!asset) return { price: own, cap: own * 1e6 };
    const price = priceAt(asset, ms) * (1 + DIFFERENCE * (own - 0.5));
    return { price, cap: price * asset.circulatingSupply * part };
  }

  function rowsAt(nowMs: number) {
    const ms = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
    const rows = listed.map((coin) => ({ ...coin, ...figuresOf(coin, ms) }));
    return rows
      .toSorted((a, b) => b.cap - a.cap)
      .map(({ id, symbol, name, price, cap }, index) => ({
        ...{ id, symbol, name, current_price: price, market_cap: Math.round(cap) },
        ...{ market_cap_rank: index + 1, last_updated: isoSeconds(ms) },
      }));
  }

  return {
    failure,
    burst: 20,
    limited: () => {
      const answer = failure(429);
      return { ...answer, headers: { ...answer.headers, 'Retry-After': LIMIT_S } };
    },
    routes: {
      '/ping': () => ({ gecko_says: '(V3) To the Moon!' }),
      '/coins/list': ({ query }) =>
        listed.map(({ id, symbol, name, priced, part }) => ({
          ...{ id, symbol, name },
          ...(query.get('include_platform') === 'true' && {
            platforms: (part === 1 && priced && addresses.get(priced.id)) || {},
          }),
        })),
      '/coins/markets': ({ query, nowMs }) => {
        if (query.get('vs_currency') !== 'usd')
          throw new Refused(json({ error: 'invalid vs_currency' }, 400));
        const rows = Math.min(integerOf(query.get('per_page') ?? '100') ?? 100, MAX_ROWS);
        const page = Math.max(integerOf(query.get('page') ?? '1') ?? 1, 1);
        return rowsAt(nowMs).slice((page - 1) * rows, page * rows);
      },
    },
  };
}

/** The contracts of each coin of ours, as CoinGecko names the platforms. */
function addressesIn(market: Market): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const addresses = new Map<string, Record<string, string>>();
  for (const { id: platformId } of platforms) {
    const chain = chainOfCoin.get(platformId);
    if (!chain) continue;
    for (const { id, address } of contractsOf(market, platformId) ?? [])
      addresses.set(id, { ...addresses.get(id), [chain.platform]: address });
  }
  return addresses;
}

function failure(status: number) {
  const message = statusText(status, "You've exceeded the Rate Limit.");
  return json({ status: { error_code: status, error_message: message } }, status);
}
