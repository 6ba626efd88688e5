import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import type { Answer } from '../provider/answer.ts';
import { statusText } from '../provider/misbehave.ts';
import { book, exchangeInfo, kline, statusOf, symbolOf, ticker } from './binance-shapes.ts';
import type { SimulatedMarket } from './markets.ts';
import { type Asked, attempt, type ExchangeProtocol, fixed, integerOf, json, Refused } from './protocol.ts';
import { barsBetween, type Tape } from './tape.ts';
import { createWeightLimit } from './weight-limit.ts';

const SECOND_MS = 1000;
const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 1000;
const ALL_SYMBOLS = 101;

const intervals = new Map<string, number>([
  ...[1].map((count) => [`${count}s`, count * SECOND_MS] as const),
  ...[1, 3, 5, 15, 30].map((count) => [`${count}m`, count * MINUTE_MS] as const),
  ...[1, 2, 4, 6, 8, 12].map((count) => [`${count}h`, count * HOUR_MS] as const),
  ...[1, 3].map((count) => [`${count}d`, count * DAY_MS] as const),
]);

/** The part of Binance that tells market data, as its own host for that does. */
export function binance(markets: readonly SimulatedMarket[], weightPerMinute: number): ExchangeProtocol {
  const bySymbol = new Map(markets.map((market) => [symbolOf(market), market]));
  const limit = createWeightLimit(weightPerMinute);

  function find(name: string): SimulatedMarket {
    if (!/^[A-Z0-9-_.]{1,20}$/.test(name)) {
      throw new Refused(failed(-1100, "Illegal characters found in parameter 'symbol'"));
    }
    return bySymbol.get(name) ?? refuse(-1121, 'Invalid symbol.');
  }

  /** The markets of `symbol`, `symbols` or of neither; and whether one was asked for, who gets no list. */
  function chosen(query: URLSearchParams): { found: SimulatedMarket[]; isOne: boolean } {
    const [symbol, symbols] = [query.get('symbol'), query.get('symbols')];
    if (symbol !== null && symbols !== null) refuse(-1128, 'Combination of optional parameters invalid.');
    if (symbol !== null) return { found: [find(symbol)], isOne: true };
    const status = query.get('symbolStatus');
    const all = symbols === null ? markets : namesIn(symbols).map(find);
    return { found: all.filter((market) => !status || statusOf(market) === status), isOne: false };
  }

  function weightOf({ path, query }: Asked): number {
    const isOne = query.has('symbol');
    switch (path) {
      case '/api/v3/exchangeInfo':
        return 20;
      case '/api/v3/klines':
      case '/api/v3/uiKlines':
      case '/api/v3/avgPrice':
        return 2;
      case '/api/v3/ticker/24hr': {
        const symbols = query.get('symbols');
        const count = isOne ? 1 : symbols === null ? ALL_SYMBOLS : symbols.split(',').length;
        return count <= 20 ? 2 : count < ALL_SYMBOLS ? 40 : 80;
      }
      case '/api/v3/ticker/price':
      case '/api/v3/ticker/bookTicker':
        return isOne ? 2 : 4;
      default:
        return 1;
    }
  }

  function answer(asked: Asked): Answer {
    const { used, refusal } = limit.take(weightOf(asked), asked.atMs);
    const proper = refusal ? limitedFor(refusal) : attempt(() => respond(asked));
    const header = { 'X-MBX-USED-WEIGHT': String(used), 'X-MBX-USED-WEIGHT-1M': String(used) };
    return { ...proper, headers: { ...proper.headers, ...header } };
  }

  function respond({ path, query, nowMs }: Asked): Answer {
    switch (path) {
      case '/api/v3/ping':
        return json({});
      case '/api/v3/time':
        return json({ serverTime: nowMs });
      case '/api/v3/exchangeInfo':
        return json(exchangeInfo(chosen(query).found, nowMs, weightPerMinute));
      case '/api/v3/klines':
      case '/api/v3/uiKlines':
        return json(klines(find(required(query, 'symbol')).tape, query, nowMs));
      case '/api/v3/ticker/24hr':
        return ofChosen(query, (market) => ticker(market, nowMs, query.get('type') === 'MINI'));
      case '/api/v3/ticker/price':
        return ofChosen(query, (market) => ({
          symbol: symbolOf(market),
          price: fixed(market.tape.priceAt(nowMs), 8),
        }));
      case '/api/v3/ticker/bookTicker':
        return ofChosen(query, (market) => book(market, nowMs));
      case '/api/v3/avgPrice': {
        const { tape } = find(required(query, 'symbol'));
        return json({ mins: 5, price: fixed(tape.priceAt(nowMs), 8), closeTime: nowMs });
      }
      default:
        return json({ code: -1000, msg: 'Path is not valid' }, 404);
    }
  }

  function ofChosen(query: URLSearchParams, of: (market: SimulatedMarket) => object): Answer {
    const { found, isOne } = chosen(query);
    const told = found.filter(({ state }) => state !== 'delisted' || isOne).map(of);
    return json(isOne ? told[0] : told);
  }

  return {
    answer,
    failure(status) {
      if (status === 429 || status === 418) return limitedFor({ status, retryAfterMs: MINUTE_MS });
      if (status === 451)
        return json({ code: 0, msg: 'Service unavailable from a restricted location' }, 451);
      // What it cannot serve at all comes from the servers before it, as text.
      return { status, headers: { 'Content-Type': 'text/plain' }, body: statusText(status, '') };
    },
    limited: () => limitedFor({ status: 429, retryAfterMs: MINUTE_MS }),
    named: {
      pattern: /[?&]symbol=([^&]+)/,
      ids: () => markets.filter(({ state }) => state === 'open').map(symbolOf),
    },
  };
}

function failed(code: number, msg: string): Answer {
  return json({ code, msg }, 400);
}

function refuse(code: number, msg: string): never {
  throw new Refused(failed(code, msg));
}

function limitedFor({ status, retryAfterMs }: { status: number; retryAfterMs: number }): Answer {
  const what =
    status === 418 ? 'Way too much request weight used; IP banned' : 'Too much request weight used';
  return json({ code: -1003, msg: `${what}.` }, status, {
    'Retry-After': String(Math.ceil(retryAfterMs / SECOND_MS)),
  });
}

function required(query: URLSearchParams, name: string): string {
  const text = query.get(name);
  if (text) return text;
  return refuse(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`);
}

/** `["BTCUSDT","ETHUSDT"]` */
function namesIn(text: string): string[] {
  try {
    const names: unknown = JSON.parse(text);
    if (Array.isArray(names)) return names.map(String);
  } catch {}
  return refuse(-1100, "Illegal characters found in parameter 'symbols'");
}

/** Rows: times in milliseconds, figures as texts, ascending; the last one may be running. */
function klines(tape: Tape, query: URLSearchParams, nowMs: number): unknown[][] {
  const intervalMs = intervals.get(required(query, 'interval'));
  if (intervalMs === undefined) return refuse(-1120, 'Invalid interval.');
  const number = (name: string) => {
    const text = query.get(name);
    const value = integerOf(text);
    if (text !== null && value === undefined)
      refuse(-1100, `Illegal characters found in parameter '${name}'`);
    return value;
  };
  const limit = Math.min(number('limit') ?? DEFAULT_LIMIT, MAX_LIMIT);
  const [start, end] = [number('startTime'), number('endTime')];
  const toMs = Math.min(end ?? nowMs, nowMs);
  const fromMs = start ?? (Math.floor(toMs / intervalMs) - limit + 1) * intervalMs;
  // From a start on, the oldest come first.
  const lastMs =
    start === undefined ? toMs : Math.min(toMs, (Math.ceil(start / intervalMs) + limit - 1) * intervalMs);
  const first = Math.max(fromMs, Math.ceil(lastMs / intervalMs - limit) * intervalMs);
  return barsBetween(tape, { fromMs: first, toMs: lastMs, intervalMs, nowMs }, true).map((bar) =>
    kline(bar, intervalMs),
  );
}
