/** CoinPaprika: the list of coins, tickers, candles and price history, as far as a plan reaches, and markets of exchanges. */
import {
  type Asset,
  DAY_MS,
  HOUR_MS,
  isoSeconds,
  type Market,
  MINUTE_MS,
  openings,
  priceAt,
  rangeBetween,
  rankedAssets,
  type SimulatedCoin,
  volumeBetween,
} from './market.ts';
import type { SimulatedMarket } from './markets.ts';
import {
  type Answer,
  burstLimit,
  instantOf,
  integerOf,
  json,
  type Protocol,
  plain,
  Refused,
  type Request,
  statusText,
} from './protocol.ts';
import { statedMarkets } from './stated.ts';
import { contractsOf, platforms } from './tokens.ts';
import { COARSE_STEPS, EPOCH_MS, STEP_MS, uniform } from './walk.ts';

/** `starter` is the smallest paid plan; `paid` stands for the largest: no limits. */
export type Plan = 'free' | 'starter' | 'paid';

export interface CoinpaprikaOptions {
  /** The plan of requests without a key; those with a key in `Authorization` have the paid one. */
  readonly plan?: Plan;
  /** Status of a plan's refusal: 402, or 400 as on older servers. */
  readonly refusalStatus?: 402 | 400;
  /** Any further request since the start is refused as beyond the month's limit. */
  readonly requestsPerMonth?: number;
}

interface CoinRequest extends Request {
  readonly market: Market;
  readonly plan: Plan;
  readonly lastMs: number;
  readonly asset: Asset;
  /** Refuses because of the plan, in the provider's words. */
  refuse(text: string): never;
}

/** The reach of the plans, as documented in 2026. */
const reaches = {
  free: { ohlcv: DAY_MS, daily: 365 * DAY_MS, hourly: DAY_MS, '5-minute': 0, tickers: 2000 },
  starter: {
    ohlcv: 30 * DAY_MS,
    daily: 5 * 365 * DAY_MS,
    hourly: 30 * DAY_MS,
    '5-minute': 0,
    tickers: Infinity,
  },
  paid: { ohlcv: Infinity, daily: Infinity, hourly: Infinity, '5-minute': Infinity, tickers: Infinity },
};
const where = 'is not allowed in this plan. Check plans on coinpaprika.com/api';
const TOO_MANY = 'you have reached maximum request limit';
/** The headers of every 200, and of a 402 too. */
const cacheable = {
  'Cache-Control': 'public, max-age=60, s-maxage=60, stale-while-revalidate=10, stale-if-error=600',
};

/** `marketsOf` has the markets of an exchange; undefined for one that the provider does not know. */
export function coinpaprika(
  market: Market,
  options: CoinpaprikaOptions,
  perSecond: number,
  marketsOf: (exchange: string) => readonly SimulatedMarket[] | undefined,
): Protocol {
  const { plan = 'free', refusalStatus = 402, requestsPerMonth = Infinity } = options;
  const isWithinLimit = burstLimit(perSecond, perSecond);
  const limited = () => ({ ...failure(402, ''), body: '', data: undefined }); // a 402 without a body
  const planOf = ({ headers }: Request): Plan => (headers.authorization ? 'paid' : plan);

  /** A route about an active coin. */
  const about = (read: (request: CoinRequest) => unknown) => (request: Request) => {
    const asset = market.asset(request.parameters.id ?? '');
    if (!asset || asset.coin.is_active === false) throw new Refused(failure(404, 'id not found'));
    const refuse = (text: string): never => {
      throw new Refused(failure(refusalStatus, text));
    };
    const lastMs = lastMinute(request);
    return read({ ...request, market, plan: planOf(request), lastMs, asset, refuse });
  };

  return {
    limited,
    failure: (status) => failure(status, statusText(status, TOO_MANY)),
    unknown: () => plain(404, '404 page not found'),
    headers: () => ({
      Server: 'cloudflare',
      Vary: 'Accept-Encoding,Origin',
      'Access-Control-Allow-Origin': '*',
    }),
    respond(data, request) {
      const lastMs = lastMinute(request);
      const made = { 'Last-Modified': new Date(lastMs).toUTCString(), 'CF-Cache-Status': 'HIT' };
      const Age = String(Math.floor((request.nowMs - lastMs) / 1000));
      return json(data, 200, { ...cacheable, ...made, Age });
    },
    refuse({ path, headers }, atMs, made) {
      const key = headers.authorization;
      if (!isWithinLimit(atMs)) return failure(429, TOO_MANY);
      // The key is sent raw. The provider's text for any other form is unknown.
      const isBad = key ? /^bearer /i.test(key) : path === '/key/info';
      if (isBad) return failure(403, 'invalid API key');
      if (made > requestsPerMonth) return limited();
      return path === '/key/info' ? json(keyInfo(made, requestsPerMonth)) : undefined;
    },
    routes: {
      '/coins': () => market.coins.map(listed),
      '/contracts': () => platforms.map(({ id }) => id),
      '/contracts/{id}'({ parameters: { id = '' } }) {
        const contracts = contractsOf(market, id);
        if (!contracts) throw new Refused(failure(404, 'id not found'));
        return contracts;
      },
      '/exchanges/{id}/markets'(request) {
        const { id = '' } = request.parameters;
        const markets = marketsOf(id);
        if (!markets) throw new Refused(failure(404, 'id not found'));
        return statedMarkets(id, markets, market, lastMinute(request));
      },
      '/tickers'(request) {
        const assets = rankedAssets(market, reaches[planOf(request)].tickers);
        return assets.map((asset) => ticker(asset, planOf(request), lastMinute(request)));
      },
      '/tickers/{id}': about(({ asset, plan, lastMs }) => ticker(asset, plan, lastMs)),
      '/tickers/{id}/historical': about(tickersHistorical),
      '/coins/{id}/ohlcv/historical': about(ohlcv),
    },
    named: {
      pattern: /^\/(?:coins|tickers)\/([^/?]+)/,
      names: () => market.coins.filter(({ is_active }) => is_active !== false).map(({ id }) => id),
    },
  };
}

/** The figures change once a minute. */
function lastMinute({ nowMs }: Request): number {
  return Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
}

function failure(status: number, error: string): Answer {
  return json({ error }, status, {
    ...(status === 402 ? { ...cacheable, 'CF-Cache-Status': 'MISS' } : {}),
    'Content-Type': 'application/json',
  });
}

/** An entry of the list; a coin is active unless it says otherwise. */
function listed({ id, name, symbol, rank, type, is_new = false, is_active = true }: SimulatedCoin): object {
  return { id, name, symbol, rank, is_new, is_active, type };
}

/** The key's plan and its requests of the month, -1 if they have no limit. */
function keyInfo(made: number, most: number): object {
  const isLimited = Number.isFinite(most);
  const month = { requests_made: isLimited ? made : -1, requests_left: isLimited ? most - made : -1 };
  return {
    ...{ plan: 'enterprise', plan_status: 'active' },
    usage: { message: isLimited ? 'limited plan' : 'unlimited plan', current_month: month },
  };
}

const changePeriods = Object.entries({
  ...{ '15m': 15 * MINUTE_MS, '30m': 30 * MINUTE_MS, '1h': HOUR_MS, '6h': 6 * HOUR_MS, '12h': 12 * HOUR_MS },
  ...{ '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS, '1y': 365 * DAY_MS },
});

/** The free plan has no `circulating_supply`, as documented; a coin without a maximum has `max_supply` 0. */
function ticker(asset: Asset, plan: Plan, lastMs: number): object {
  const { coin, circulatingSupply, firstMs } = asset;
  const price = priceAt(asset, lastMs);
  const volume = volumeBetween(asset, lastMs - DAY_MS, lastMs);
  const high = allTimeHigh(asset, lastMs);
  const change = (ms: number) => (lastMs - ms < firstMs ? 0 : percent(price, priceAt(asset, lastMs - ms)));
  const changes = changePeriods.map(([name, ms]) => [`percent_change_${name}`, change(ms)] as const);
  return {
    ...{ id: coin.id, name: coin.name, symbol: coin.symbol, rank: coin.rank },
    ...(plan !== 'free' && { circulating_supply: circulatingSupply }),
    total_supply: asset.totalSupply,
    max_supply: asset.maxSupply ?? 0,
    beta_value: Number(asset.beta.toFixed(6)),
    first_data_at: isoSeconds(firstMs),
    last_updated: isoSeconds(lastMs),
    quotes: {
      USD: {
        price,
        volume_24h: volume, // with a fraction, unlike the volume of candles and history
        volume_24h_change_24h: percent(volume, volumeBetween(asset, lastMs - 2 * DAY_MS, lastMs - DAY_MS)),
        market_cap: Math.round(price * circulatingSupply),
        market_cap_change_24h: change(DAY_MS), // the supply does not change
        ...Object.fromEntries(changes),
        ath_price: high.price,
        ath_date: isoSeconds(high.atMs),
        percent_from_price_ath: percent(price, high.price),
      },
    },
  };
}

function percent(now: number, then: number): number {
  return Math.round((now / then - 1) * 10_000) / 100;
}

/** The highest weekly sample of each asset through a sample: a list of all tickers walks its weeks once. */
const highs = new WeakMap<Asset, { at: number; log: number; through: number }>();

/** The highest of the weekly samples and the current price: a candle's high between two samples may be higher. */
function allTimeHigh(asset: Asset, lastMs: number): { price: number; atMs: number } {
  const weekMs = COARSE_STEPS * STEP_MS;
  const first = Math.ceil((asset.firstMs - EPOCH_MS) / weekMs);
  const last = Math.floor((lastMs - EPOCH_MS) / weekMs);
  const known = highs.get(asset);
  const high = known && known.through <= last ? known : { at: first, log: -Infinity, through: first - 1 };
  for (; high.through < last; high.through++) {
    const log = asset.logAt((high.through + 1) * COARSE_STEPS);
    if (log > high.log) Object.assign(high, { at: high.through + 1, log });
  }
  highs.set(asset, high);
  const now = { price: priceAt(asset, lastMs), atMs: lastMs };
  return Math.exp(high.log) > now.price
    ? { price: Math.exp(high.log), atMs: EPOCH_MS + high.at * weekMs }
    : now;
}

const candleIntervals = new Map([1, 6, 12, 24].map((hours) => [`${hours}h`, hours * HOUR_MS]));

/** The candles that open from `start` to `end`, oldest first; the running one closes at the last minute. */
function ohlcv(request: CoinRequest): object[] {
  const { asset, plan, nowMs, lastMs } = request;
  const { intervalMs, unit, times, startMs } = readHistory(request, candleIntervals, '24h', [1, 366]);
  // The provider's text for an interval is unknown; this one follows the known text for a start.
  if (plan !== 'paid' && intervalMs < DAY_MS)
    request.refuse(`Getting historical OHLCV data in ${intervalMs / HOUR_MS}h interval ${where}`);
  refuseBefore(request, nowMs - reaches[plan].ohlcv, startMs, 'historical OHLCV data');
  return times(intervalMs).map((openMs) => {
    const endMs = openMs + intervalMs;
    const closeMs = Math.min(endMs, lastMs);
    const range = rangeBetween(asset, openMs, closeMs, unit);
    return {
      time_open: isoSeconds(openMs),
      time_close: isoSeconds(closeMs < endMs ? closeMs : closeMs - 1000),
      ...range,
      volume: Math.round(volumeBetween(asset, openMs, closeMs) / (unit ? priceAt(unit, closeMs) : 1)),
      market_cap: Math.round(range.close * asset.circulatingSupply),
    };
  });
}

const tickIntervals = new Map([
  ...[5, 10, 15, 30, 45].map((minutes) => [`${minutes}m`, minutes * MINUTE_MS] as const),
  ...[1, 2, 3, 6, 12, 24].map((hours) => [`${hours}h`, hours * HOUR_MS] as const),
  ...[1, 7, 14, 30, 90, 365].map((days) => [`${days}d`, days * DAY_MS] as const),
]);

/**
 * Ticks from `start` to `end`, oldest first. A tick is stamped with the start of its interval and carries the figures of
 * the interval's end, or of now while it lasts: its price is the close of the candle that opens at its timestamp.
 */
function tickersHistorical(request: CoinRequest): object[] {
  const { asset, plan, nowMs, lastMs } = request;
  const { intervalMs, unit, times, startMs } = readHistory(request, tickIntervals, '5m', [1000, 5000]);
  const name = intervalMs >= DAY_MS ? 'daily' : intervalMs >= HOUR_MS ? 'hourly' : '5-minute';
  refuseBefore(request, nowMs - reaches[plan][name], startMs, `${name} historical data`);
  // Intervals of several days count from the day of `start`.
  return times(Math.min(intervalMs, DAY_MS)).map((fromMs) => {
    const atMs = Math.min(fromMs + intervalMs, lastMs);
    const dollars = unit ? priceAt(unit, atMs) : 1;
    const price = priceAt(asset, atMs) / dollars;
    return {
      timestamp: isoSeconds(fromMs),
      price,
      volume_24h: Math.round(volumeBetween(asset, atMs - DAY_MS, atMs) / dollars),
      market_cap: Math.round(price * asset.circulatingSupply),
    };
  });
}

function refuseBefore({ refuse }: CoinRequest, limitMs: number, startMs: number, what: string): void {
  if (startMs < limitMs) refuse(`Getting ${what} before ${goTime(limitMs)} ${where}`);
}

/** `2025-09-17 03:59:32.385856048 +0000 UTC`: an instant as Go prints it. The digits of a second are made up. */
function goTime(ms: number): string {
  const digits = String(Math.floor(uniform(ms / 1000, 1) * 999_999_999) + 1).padStart(9, '0');
  const [day, time] = new Date(ms).toISOString().slice(0, 19).split('T');
  return `${day} ${time}.${digits.replace(/0+$/, '')} +0000 UTC`; // Go prints no trailing zeros
}

/** The parameters of a history; an empty one counts as absent, and any that is not allowed is refused with 400. */
function readHistory(
  { query, market, asset, lastMs }: CoinRequest,
  intervals: ReadonlyMap<string, number>,
  usual: string,
  [usualLimit, maximum]: readonly [number, number],
) {
  const read = (name: string) => query.get(name) || undefined;
  const start = read('start');
  const end = read('end');
  const intervalMs = intervals.get((read('interval') ?? usual).toLowerCase());
  const quote = (read('quote') ?? 'usd').toLowerCase();
  const limit = integerOf(read('limit') ?? String(usualLimit)) ?? 0;
  const startMs = start === undefined ? Number.NaN : instantOf(start);
  const endMs = end === undefined ? Math.max(lastMs, startMs) : instantOf(end, DAY_MS - 1000);
  const isBad = intervalMs === undefined || !(startMs <= endMs) || limit < 1 || limit > maximum;
  if (isBad || !['usd', 'btc'].includes(quote)) throw new Refused(failure(400, 'Invalid parameters'));
  const fromMs = Math.max(startMs, asset.firstMs);
  const toMs = Math.min(endMs, lastMs);
  const times = (gridMs: number) => openings(fromMs, toMs, intervalMs, limit, gridMs);
  return { intervalMs, unit: quote === 'btc' ? market.bitcoin : undefined, startMs, times };
}
