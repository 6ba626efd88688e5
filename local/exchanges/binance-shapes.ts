/** The objects and rows that Binance answers with: times in milliseconds, figures as texts. */
import { DAY_MS } from '../../shared/platform/time.ts';
import type { SimulatedMarket } from './markets.ts';
import { fixed } from './protocol.ts';
import { type Bar, flatBar } from './tape.ts';

const SPREAD = 0.0001;
const REAL_WEIGHT = 6000;

export function symbolOf({ base, quote }: Pick<SimulatedMarket, 'base' | 'quote'>): string {
  return base + quote;
}

export function statusOf({ state }: SimulatedMarket): string {
  return state === 'open' ? 'TRADING' : state === 'halted' ? 'HALT' : 'BREAK';
}

export function kline(bar: Bar, intervalMs: number): unknown[] {
  const { openMs, open, high, low, close, volume, quoteVolume, trades } = bar;
  return [
    openMs,
    ...[open, high, low, close, volume].map((value) => fixed(value, 8)),
    openMs + intervalMs - 1,
    fixed(quoteVolume, 8),
    trades,
    fixed(volume / 2, 8),
    fixed(quoteVolume / 2, 8),
    '0',
  ];
}

export function exchangeInfo(markets: readonly SimulatedMarket[], nowMs: number, weight: number): object {
  return {
    timezone: 'UTC',
    serverTime: nowMs,
    rateLimits: [
      {
        rateLimitType: 'REQUEST_WEIGHT',
        interval: 'MINUTE',
        intervalNum: 1,
        limit: Number.isFinite(weight) ? weight : REAL_WEIGHT,
      },
    ],
    exchangeFilters: [],
    symbols: markets.map(symbolInfo),
  };
}

function symbolInfo(market: SimulatedMarket): object {
  const { base, quote, tape } = market;
  const tick = fixed(10 ** -tape.decimals, 8);
  return {
    symbol: symbolOf(market),
    status: statusOf(market),
    baseAsset: base,
    baseAssetPrecision: 8,
    quoteAsset: quote,
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    baseCommissionPrecision: 8,
    quoteCommissionPrecision: 8,
    orderTypes: ['LIMIT', 'LIMIT_MAKER', 'MARKET'],
    icebergAllowed: true,
    ocoAllowed: true,
    otoAllowed: true,
    quoteOrderQtyMarketAllowed: true,
    allowTrailingStop: true,
    cancelReplaceAllowed: true,
    amendAllowed: true,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    filters: [
      { filterType: 'PRICE_FILTER', minPrice: tick, maxPrice: '1000000.00000000', tickSize: tick },
      { filterType: 'LOT_SIZE', minQty: '0.00001000', maxQty: '9000000.00000000', stepSize: '0.00001000' },
      {
        filterType: 'NOTIONAL',
        minNotional: '5.00000000',
        applyMinToMarket: true,
        maxNotional: '9000000.00000000',
        applyMaxToMarket: false,
        avgPriceMins: 5,
      },
    ],
    permissions: [],
    permissionSets: [['SPOT']],
    defaultSelfTradePreventionMode: 'EXPIRE_MAKER',
    allowedSelfTradePreventionModes: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
  };
}

export function ticker(market: SimulatedMarket, nowMs: number, isMini: boolean): object {
  const { tape } = market;
  const last = tape.priceAt(nowMs);
  const day = tape.day(nowMs) ?? flatBar(tape, nowMs - DAY_MS);
  const [open, volume, quoteVolume] = [day?.open ?? last, day?.volume ?? 0, day?.quoteVolume ?? 0];
  const trades = day?.trades ?? 0;
  const texts = (values: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fixed(value, 8)]));
  const change = {
    ...texts({ priceChange: last - open }),
    priceChangePercent: fixed(open > 0 ? (last / open - 1) * 100 : 0, 3),
    ...texts({ weightedAvgPrice: volume > 0 ? quoteVolume / volume : 0, prevClosePrice: open }),
  };
  const book = texts({ bidPrice: last * (1 - SPREAD), bidQty: 1, askPrice: last * (1 + SPREAD), askQty: 1 });
  return {
    symbol: symbolOf(market),
    ...(isMini ? {} : change),
    ...texts({ lastPrice: last }),
    ...(isMini ? {} : { lastQty: '0.01000000', ...book }),
    ...texts({ openPrice: open, highPrice: day?.high ?? last, lowPrice: day?.low ?? last }),
    ...texts({ volume, quoteVolume }),
    openTime: nowMs - DAY_MS,
    closeTime: nowMs,
    firstId: trades > 0 ? 1 : -1,
    lastId: trades > 0 ? trades : -1,
    count: trades,
  };
}

export function book(market: SimulatedMarket, nowMs: number): object {
  const price = market.tape.priceAt(nowMs);
  return {
    symbol: symbolOf(market),
    bidPrice: fixed(price * (1 - SPREAD), 8),
    bidQty: '1.00000000',
    askPrice: fixed(price * (1 + SPREAD), 8),
    askQty: '1.00000000',
  };
}
