/** The part of Binance that has market data: times in milliseconds, figures as texts, limits by weight. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from './market.ts';
import { mainMarkets, type SimulatedMarket } from './markets.ts';
import {
  type Answer,
  integerOf,
  json,
  type Protocol,
  plain,
  Refused,
  type Request,
  statusText,
} from './protocol.ts';
import { barsBetween } from './tape.ts';

const SECOND_MS = 1000;
const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 1000;
const REAL_WEIGHT = 6000;
const LONGEST_BAN_MS = 3 * DAY_MS;
/** Refused requests before the address is banned. */
const WARNINGS = 10;

const units = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const intervals = new Map(
  '1s 1m 3m 5m 15m 30m 1h 2h 4h 6h 8h 12h 1d 3d'
    .split(' ')
    .map((name) => [name, Number.parseInt(name, 10) * units[name.at(-1) as keyof typeof units]]), // its last letter is one
);
const statuses = { open: 'TRADING', halted: 'HALT', delisted: 'BREAK' } as const;

export const idOf = ({ base, quote }: Pick<SimulatedMarket, 'base' | 'quote'>) => base + quote;

export function binance(markets: readonly SimulatedMarket[], weightPerMinute: number): Protocol {
  const bySymbol = new Map(markets.map((market) => [idOf(market), market]));
  const limit = weightLimit(weightPerMinute);
  const listed = () => markets.filter(({ state }) => state !== 'delisted');

  function find(name: string): SimulatedMarket {
    if (!/^[A-Z0-9-_.]{1,20}$/.test(name)) refuse(-1100, "Illegal characters found in parameter 'symbol'");
    return bySymbol.get(name) ?? refuse(-1121, 'Invalid symbol.');
  }

  function exchangeInfo(nowMs: number): object {
    const weight = Number.isFinite(weightPerMinute) ? weightPerMinute : REAL_WEIGHT;
    const minute = { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: weight };
    const symbols = markets.map(symbolInfo);
    return { timezone: 'UTC', serverTime: nowMs, rateLimits: [minute], exchangeFilters: [], symbols };
  }

  return {
    refuse: (request, atMs) => limit.take(weightOf(request), atMs),
    headers: () => ({
      'X-MBX-USED-WEIGHT': String(limit.used()),
      'X-MBX-USED-WEIGHT-1M': String(limit.used()),
    }),
    unknown: () => json({ code: -1000, msg: 'Path is not valid' }, 404),
    routes: {
      '/api/v3/ping': () => ({}),
      '/api/v3/exchangeInfo': ({ nowMs }) => exchangeInfo(nowMs),
      '/api/v3/klines': ({ query, nowMs }) => klines(find(required(query, 'symbol')), query, nowMs),
      '/api/v3/ticker/24hr'({ query, nowMs }) {
        const symbol = query.get('symbol');
        return symbol === null
          ? listed().map((market) => ticker(market, nowMs))
          : ticker(find(symbol), nowMs);
      },
    },
    failure(status) {
      if (status === 429 || status === 418) return tooMany(status, MINUTE_MS);
      if (status === 451)
        return json({ code: 0, msg: 'Service unavailable from a restricted location' }, 451);
      // Errors of the servers before it are text.
      return plain(status, statusText(status, ''));
    },
    named: {
      pattern: /[?&]symbol=([^&]+)/,
      names: () => mainMarkets(markets).map(idOf),
    },
  };
}

/** Weight within a minute. An address that goes on after a 429 is banned, for longer each time. */
function weightLimit(weightPerMinute: number) {
  let minute = Number.NaN;
  let used = 0;
  let warnings = 0;
  let bannedUntil = Number.NEGATIVE_INFINITY;
  let banMs = 2 * MINUTE_MS;
  return {
    used: () => used,
    take(weight: number, nowMs: number): Answer | undefined {
      if (nowMs < bannedUntil) return tooMany(418, bannedUntil - nowMs);
      const current = Math.floor(nowMs / MINUTE_MS);
      if (current !== minute) [minute, used, warnings] = [current, 0, 0];
      used += weight;
      if (used <= weightPerMinute) return undefined;
      warnings += 1;
      if (warnings <= WARNINGS) return tooMany(429, (current + 1) * MINUTE_MS - nowMs);
      bannedUntil = nowMs + banMs;
      banMs = Math.min(banMs * 2, LONGEST_BAN_MS);
      return tooMany(418, bannedUntil - nowMs);
    },
  };
}

function weightOf({ path, query }: Request): number {
  if (path === '/api/v3/exchangeInfo') return 20;
  if (path === '/api/v3/klines') return 2;
  return path === '/api/v3/ticker/24hr' ? (query.has('symbol') ? 2 : 80) : 1;
}

function tooMany(status: 429 | 418, retryAfterMs: number): Answer {
  const what =
    status === 418 ? 'Way too much request weight used; IP banned' : 'Too much request weight used';
  return json({ code: -1003, msg: `${what}.` }, status, {
    'Retry-After': String(Math.ceil(retryAfterMs / SECOND_MS)),
  });
}

function refuse(code: number, msg: string): never {
  throw new Refused(json({ code, msg }, 400));
}

function required(query: URLSearchParams, name: string): string {
  return (
    query.get(name) ||
    refuse(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`)
  );
}

/** Ascending; from a start on the oldest come first, and the last row may be running. */
function klines({ tape }: SimulatedMarket, query: URLSearchParams, nowMs: number): unknown[][] {
  const intervalMs = intervals.get(required(query, 'interval')) ?? refuse(-1120, 'Invalid interval.');
  const number = (name: string) => {
    const value = integerOf(query.get(name));
    if (query.has(name) && value === undefined)
      refuse(-1100, `Illegal characters found in parameter '${name}'`);
    return value;
  };
  const limit = Math.min(number('limit') ?? DEFAULT_LIMIT, MAX_LIMIT);
  const start = number('startTime');
  const end = Math.min(number('endTime') ?? nowMs, nowMs);
  const fromMs = start ?? (Math.floor(end / intervalMs) - limit + 1) * intervalMs;
  const toMs = Math.min(end, (Math.ceil(fromMs / intervalMs) + limit - 1) * intervalMs);
  return barsBetween(tape, { fromMs, toMs, intervalMs, nowMs }, true).map((bar) => {
    const { openMs, open, high, low, close, volume, quoteVolume, trades } = bar;
    const figures = [open, high, low, close, volume].map(fixed);
    const ofTakers = [fixed(volume / 2), fixed(quoteVolume / 2)];
    return [openMs, ...figures, openMs + intervalMs - 1, fixed(quoteVolume), trades, ...ofTakers, '0'];
  });
}

function fixed(value: number): string {
  return value.toFixed(8);
}

function symbolInfo(market: SimulatedMarket): object {
  const tick = fixed(10 ** -market.tape.decimals);
  const lot = { minQty: '0.00001000', maxQty: '9000000.00000000', stepSize: '0.00001000' };
  return {
    ...{ symbol: idOf(market), status: statuses[market.state] },
    ...{ baseAsset: market.base, baseAssetPrecision: 8, quoteAsset: market.quote, quoteAssetPrecision: 8 },
    orderTypes: ['LIMIT', 'LIMIT_MAKER', 'MARKET'],
    ...{ isSpotTradingAllowed: true, isMarginTradingAllowed: false },
    filters: [
      { filterType: 'PRICE_FILTER', minPrice: tick, maxPrice: '1000000.00000000', tickSize: tick },
      { filterType: 'LOT_SIZE', ...lot },
    ],
    permissions: [],
    permissionSets: [['SPOT']],
  };
}

function ticker(market: SimulatedMarket, nowMs: number): object {
  const { open, high, low, volume, quoteVolume, trades } = market.tape.day(nowMs);
  const last = market.tape.priceAt(nowMs);
  const average = volume > 0 ? quoteVolume / volume : last;
  const figures = {
    ...{ priceChange: last - open, weightedAvgPrice: average, prevClosePrice: open },
    ...{ lastPrice: last, lastQty: 0.01 },
    ...{ bidPrice: last, bidQty: 1, askPrice: last, askQty: 1 },
    ...{ openPrice: open, highPrice: high, lowPrice: low, volume, quoteVolume },
  };
  return {
    symbol: idOf(market),
    ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, fixed(value)])),
    priceChangePercent: (open > 0 ? (last / open - 1) * 100 : 0).toFixed(3),
    ...{ openTime: nowMs - DAY_MS, closeTime: nowMs, count: trades },
    ...{ firstId: trades > 0 ? 1 : -1, lastId: trades > 0 ? trades : -1 },
  };
}
