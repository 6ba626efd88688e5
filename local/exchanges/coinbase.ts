import { statusText } from '../provider/misbehave.ts';
import { createBurstLimit } from './burst-limit.ts';
import type { SimulatedMarket } from './markets.ts';
import { type Asked, type ExchangeProtocol, fixed, json, Refused } from './protocol.ts';
import { barsBetween } from './tape.ts';

const GRANULARITIES = [60, 300, 900, 3600, 21_600, 86_400];
const BURST = 15;
const MAX_CANDLES = 300;
const TOO_MANY = 'Public rate limit exceeded';
const SPREAD = 0.0001;
const MONTH_DAYS = 30;

/** Coinbase Exchange: markets are called products, `BTC-USD`. */
export function coinbase(markets: readonly SimulatedMarket[], requestsPerSecond: number): ExchangeProtocol {
  const byId = new Map(markets.map((market) => [productOf(market), market]));
  const isWithinLimit = createBurstLimit(requestsPerSecond, BURST);

  function answer(asked: Asked) {
    if (!isWithinLimit(asked.atMs)) return failure(429);
    if (!asked.headers['user-agent']) return message(400, 'User-Agent header is required.');
    const [, collection, id, what, ...rest] = asked.path.split('/');
    if (asked.path === '/time') {
      return json({ iso: new Date(asked.nowMs).toISOString(), epoch: asked.nowMs / 1000 });
    }
    if (asked.path === '/currencies') return json(currencies());
    if (collection !== 'products' || rest.length > 0) return failure(404);
    if (id === undefined) return json([...byId].map(([name, market]) => product(name, market)));
    if (id === 'stats' && what === undefined) {
      const all = [...byId].filter(([, { state }]) => state !== 'delisted');
      return json(Object.fromEntries(all.map(([name, market]) => [name, statsOfAll(market, asked.nowMs)])));
    }
    const market = byId.get(decodeURIComponent(id));
    if (!market) return failure(404);
    switch (what) {
      case undefined:
        return json(product(id, market));
      case 'candles':
        return json(candles(market, asked));
      case 'ticker':
        return json(ticker(market, asked.nowMs));
      case 'stats':
        return json(stats(market, asked.nowMs));
      default:
        return failure(404);
    }
  }

  function currencies(): object[] {
    const symbols = new Set(['USD', ...markets.map(({ base }) => base), 'USDT']);
    return [...symbols].map((id) => ({
      id,
      name: id,
      min_size: '0.00000001',
      status: 'online',
      message: '',
      max_precision: '0.00000001',
      convertible_to: [],
      details: {
        type: id === 'USD' ? 'fiat' : 'crypto',
        symbol: null,
        sort_order: 0,
        push_payment_methods: [],
      },
      default_network: '',
      supported_networks: [],
      display_name: '',
    }));
  }

  return {
    answer,
    failure,
    limited: () => failure(429),
    named: {
      pattern: /^\/products\/([^/?]+)/,
      ids: () => markets.filter(({ state }) => state === 'open').map(productOf),
    },
  };
}

export function productOf({ base, quote }: Pick<SimulatedMarket, 'base' | 'quote'>): string {
  return `${base}-${quote}`;
}

function message(status: number, text: string) {
  return json({ message: text }, status);
}

function failure(status: number) {
  return message(status, status === 404 ? 'NotFound' : statusText(status, TOO_MANY));
}

function product(id: string, { base, quote, state, tape }: SimulatedMarket): object {
  return {
    id,
    base_currency: base,
    quote_currency: quote,
    quote_increment: fixed(10 ** -tape.decimals, tape.decimals),
    base_increment: '0.00000001',
    display_name: `${base}/${quote}`,
    min_market_funds: '1',
    margin_enabled: false,
    post_only: false,
    limit_only: false,
    cancel_only: false,
    status: state === 'delisted' ? 'delisted' : 'online',
    status_message: '',
    trading_disabled: state !== 'open',
    fx_stablecoin: false,
    max_slippage_percentage: '0.03000000',
    auction_mode: false,
    high_bid_limit_percentage: '',
  };
}

/** Newest first; intervals without a trade have no row. */
function candles({ tape }: SimulatedMarket, { query, nowMs }: Asked): number[][] {
  const granularity = Number(query.get('granularity') ?? 60);
  if (!GRANULARITIES.includes(granularity)) throw new Refused(message(400, 'Unsupported granularity'));
  const intervalMs = granularity * 1000;
  const [start, end] = [instant(query, 'start'), instant(query, 'end')];
  const latest = Math.floor(nowMs / intervalMs) * intervalMs;
  let [fromMs, toMs] = [latest - (MAX_CANDLES - 1) * intervalMs, latest];
  // One without the other is as good as none.
  if (start !== undefined && end !== undefined) {
    if (start > end) throw new Refused(message(400, 'start must be before end'));
    if ((end - start) / intervalMs > MAX_CANDLES) {
      const what =
        'granularity too small for the requested time range. Count of aggregations requested exceeds';
      throw new Refused(message(400, `${what} ${MAX_CANDLES}`));
    }
    // The row of the interval that `start` is in comes too.
    fromMs = Math.floor(start / intervalMs) * intervalMs;
    toMs = end;
  }
  const bars = barsBetween(tape, { fromMs, toMs, intervalMs, nowMs }, false).slice(-MAX_CANDLES);
  return bars
    .toReversed()
    .map(({ openMs, low, high, open, close, volume }) => [
      openMs / 1000,
      low,
      high,
      open,
      close,
      Number(fixed(volume, 8)),
    ]);
}

/** Milliseconds since the epoch, of ISO 8601 or seconds. */
function instant(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  const ms = /^\d{1,11}(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  if (Number.isNaN(ms)) throw new Refused(message(400, `Invalid ${name}`));
  return ms;
}

function ticker({ tape }: SimulatedMarket, nowMs: number): object {
  const price = tape.priceAt(nowMs);
  return {
    ask: fixed(price * (1 + SPREAD), tape.decimals),
    bid: fixed(price * (1 - SPREAD), tape.decimals),
    volume: fixed(tape.day(nowMs)?.volume ?? 0, 8),
    trade_id: Math.floor(nowMs / 1000),
    price: fixed(price, tape.decimals),
    size: '0.00730000',
    time: new Date(nowMs).toISOString(),
    rfq_volume: '0',
  };
}

function stats(market: SimulatedMarket, nowMs: number): object {
  const { tape } = market;
  const last = tape.priceAt(nowMs);
  const day = tape.day(nowMs);
  const month = (day?.volume ?? 0) * MONTH_DAYS; // nobody reads it as more than a magnitude
  return {
    open: fixed(day?.open ?? last, tape.decimals),
    high: fixed(day?.high ?? last, tape.decimals),
    low: fixed(day?.low ?? last, tape.decimals),
    last: fixed(last, tape.decimals),
    volume: fixed(day?.volume ?? 0, 8),
    volume_30day: fixed(month, 8),
    rfq_volume_24hour: '0',
    rfq_volume_30day: '0',
    conversions_volume_24hour: '0',
    conversions_volume_30day: '0',
  };
}

function statsOfAll(market: SimulatedMarket, nowMs: number): object {
  const { tape } = market;
  const last = tape.priceAt(nowMs);
  const day = tape.day(nowMs);
  return {
    stats_30day: { volume: fixed((day?.volume ?? 0) * MONTH_DAYS, 8) },
    stats_24hour: {
      open: fixed(day?.open ?? last, tape.decimals),
      high: fixed(day?.high ?? last, tape.decimals),
      low: fixed(day?.low ?? last, tape.decimals),
      last: fixed(last, tape.decimals),
      volume: fixed(day?.volume ?? 0, 8),
    },
  };
}
