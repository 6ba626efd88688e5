/** Coinbase Exchange: markets are called products, `BTC-USD`; candles come newest first, as numbers. */
import { mainMarkets, type SimulatedMarket } from './markets.ts';
import { instantOf, json, type Protocol, Refused, type Request, statusText } from './protocol.ts';
import { barsBetween } from './tape.ts';

const GRANULARITIES = [60, 300, 900, 3600, 21_600, 86_400];
const MAX_CANDLES = 300;

export const idOf = ({ base, quote }: Pick<SimulatedMarket, 'base' | 'quote'>) => `${base}-${quote}`;

export function coinbase(markets: readonly SimulatedMarket[]): Protocol {
  const byId = new Map(markets.map((market) => [idOf(market), market]));
  const find = ({ parameters: { id = '' } }: Request) => byId.get(id) ?? refuse(404, 'NotFound');

  function stats(nowMs: number): object {
    const listed = [...byId].filter(([, { state }]) => state !== 'delisted');
    return Object.fromEntries(listed.map(([name, market]) => [name, statsOf(market, nowMs)]));
  }

  return {
    failure,
    burst: 15,
    refuse: ({ headers }) =>
      headers['user-agent'] ? undefined : message(400, 'User-Agent header is required.'),
    routes: {
      '/time': ({ nowMs }) => ({ iso: new Date(nowMs).toISOString(), epoch: nowMs / 1000 }),
      '/products': () => markets.map(product),
      '/products/stats': ({ nowMs }) => stats(nowMs),
      '/products/{id}/ticker': (request) => ticker(find(request), request.nowMs),
      '/products/{id}/candles': (request) => candles(find(request), request),
    },
    named: {
      pattern: /^\/products\/([^/?]+)/,
      names: () => mainMarkets(markets).map(idOf),
    },
  };
}

function message(status: number, text: string) {
  return json({ message: text }, status);
}

function refuse(status: number, text: string): never {
  throw new Refused(message(status, text));
}

function failure(status: number) {
  return message(status, status === 404 ? 'NotFound' : statusText(status, 'Public rate limit exceeded'));
}

function product(market: SimulatedMarket): object {
  const { base, quote, state, tape } = market;
  return {
    ...{ id: idOf(market), base_currency: base, quote_currency: quote, display_name: `${base}/${quote}` },
    quote_increment: (10 ** -tape.decimals).toFixed(tape.decimals),
    base_increment: '0.00000001',
    min_market_funds: '1',
    ...{ margin_enabled: false, post_only: false, limit_only: false, cancel_only: false },
    status: state === 'delisted' ? 'delisted' : 'online',
    status_message: '',
    trading_disabled: state !== 'open',
    fx_stablecoin: false,
  };
}

/** Newest first; intervals without a trade have no row. */
function candles({ tape }: SimulatedMarket, { query, nowMs }: Request): number[][] {
  const granularity = Number(query.get('granularity') ?? 60);
  if (!GRANULARITIES.includes(granularity)) refuse(400, 'Unsupported granularity');
  const intervalMs = granularity * 1000;
  const [start, end] = ['start', 'end'].map((name) => {
    const text = query.get(name);
    const ms = text ? instantOf(text) : undefined;
    return Number.isNaN(ms) ? refuse(400, `Invalid ${name}`) : ms;
  });
  const latest = Math.floor(nowMs / intervalMs) * intervalMs;
  let fromMs = latest - (MAX_CANDLES - 1) * intervalMs;
  let toMs = latest;
  // One without the other is ignored.
  if (start !== undefined && end !== undefined) {
    if (start > end) refuse(400, 'start must be before end');
    if ((end - start) / intervalMs > MAX_CANDLES) {
      const what = 'granularity too small for the requested time range. Count of aggregations requested';
      refuse(400, `${what} exceeds ${MAX_CANDLES}`);
    }
    // The interval that contains `start` is included.
    fromMs = Math.floor(start / intervalMs) * intervalMs;
    toMs = end;
  }
  const bars = barsBetween(tape, { fromMs, toMs, intervalMs, nowMs }, false).slice(-MAX_CANDLES);
  return bars.toReversed().map(({ openMs, low, high, open, close, volume }) => {
    return [openMs / 1000, low, high, open, close, Number(volume.toFixed(8))];
  });
}

function ticker({ tape }: SimulatedMarket, nowMs: number): object {
  const price = tape.priceAt(nowMs).toFixed(tape.decimals);
  const volume = tape.day(nowMs).volume.toFixed(8);
  const time = new Date(nowMs).toISOString();
  const trade_id = Math.floor(nowMs / 1000);
  return { ask: price, bid: price, volume, trade_id, price, size: '0.00730000', time };
}

function statsOf({ tape }: SimulatedMarket, nowMs: number): object {
  const day = tape.day(nowMs);
  const [open, high, low, last] = [day.open, day.high, day.low, tape.priceAt(nowMs)].map((price) =>
    price.toFixed(tape.decimals),
  );
  return {
    stats_30day: { volume: (30 * day.volume).toFixed(8) }, // only its magnitude is read
    stats_24hour: { open, high, low, last, volume: day.volume.toFixed(8) },
  };
}
