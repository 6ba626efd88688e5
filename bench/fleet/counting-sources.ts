/** The exchanges and the source of token prices of the simulation: their real protocols and limits, on the coins' walk. */
import { binance } from '../../local/exchanges/binance.ts';
import { coinbase } from '../../local/exchanges/coinbase.ts';
import { realLimits } from '../../local/exchanges/index.ts';
import { kraken } from '../../local/exchanges/kraken.ts';
import type { SimulatedMarket } from '../../local/exchanges/markets.ts';
import { type ExchangeName, exchangeNames } from '../../local/exchanges/names.ts';
import { type ExchangeProtocol, json } from '../../local/exchanges/protocol.ts';
import type { Bar } from '../../local/exchanges/tape.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { type HttpAnswer, type Transport, TransportError } from '../../shared/platform/transport.ts';
import { coinOfToken } from './tokens.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { priceAt, pricesBetween, volumeOf } from './walk.ts';
import { MAPPED, symbolOf, TETHER } from './workload.ts';

export interface CountingSources {
  /** Requests by source, and those among them that were refused because they were too many. */
  readonly calls: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
  connect(source: string): () => Transport;
}

const DECIMALS = 8;
/** Each exchange's part of all trade in a coin. */
const SHARE = 0.05;
/** The part of coins that an exchange has besides those that only it has. */
const ALSO = { coinbase: 0.25, kraken: 0.45, binance: 0.45 } as const;
/** The largest are everywhere. */
const EVERYWHERE = 12;
const CONFIDENCE = 0.98;
const TOKEN_AGE_MS = 120_000;

export function countingSources(clock: VirtualClock, random: () => number): CountingSources {
  const calls: Record<string, number> = {};
  const refused: Record<string, number> = {};
  const protocols: Readonly<Record<string, Pick<ExchangeProtocol, 'answer'>>> = {
    coinbase: coinbase(marketsOf('coinbase'), realLimits.coinbase.requestsPerSecond),
    kraken: kraken(marketsOf('kraken'), realLimits.kraken.requestsPerSecond),
    binance: binance(marketsOf('binance'), realLimits.binance.weightPerMinute),
    defillama: { answer: ({ path, query, nowMs }) => tokensTold(path, query, nowMs) },
  };
  return {
    calls,
    refused,
    connect: (source) => () => ({
      async get(path): Promise<HttpAnswer> {
        calls[source] = (calls[source] ?? 0) + 1;
        await clock.sleep(80 + 120 * random());
        const protocol = protocols[source];
        if (!protocol) throw new TransportError('connection', `nobody is ${source}`);
        const url = new URL(path, 'http://source');
        const now = clock.now();
        const { status, headers, body } = protocol.answer({
          path: url.pathname,
          query: url.searchParams,
          headers: { 'user-agent': 'bench' },
          atMs: now,
          nowMs: Math.floor(now / 1000) * 1000,
        });
        if (status === 429 || body.includes('Too many requests'))
          refused[source] = (refused[source] ?? 0) + 1;
        const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
        return { status, headers: Object.fromEntries(named), body: Buffer.from(body) };
      },
    }),
  };
}

function marketsOf(exchange: ExchangeName): SimulatedMarket[] {
  const quote = exchange === 'binance' ? 'USDT' : 'USD';
  return Array.from({ length: MAPPED }, (_, coin) => coin)
    .filter((coin) => isOn(exchange, coin) && !(coin === TETHER && quote === 'USDT'))
    .map((coin) => marketOf(coin, quote));
}

/** Every coin has one exchange that lists it for sure, and may be on the others. */
function isOn(exchange: ExchangeName, coin: number): boolean {
  const place = exchangeNames.indexOf(exchange);
  const chance = ((coin + 1) * (place + 3) * 0.618034) % 1;
  return coin < EVERYWHERE || coin % exchangeNames.length === place || chance < ALSO[exchange];
}

function marketOf(coin: number, quote: 'USD' | 'USDT'): SimulatedMarket {
  const inQuote = (usd: number, time: number) =>
    Number((usd / (quote === 'USD' ? 1 : priceAt(TETHER, time))).toFixed(DECIMALS));
  function barBetween(from: number, to: number): Bar | undefined {
    if (to <= from) return undefined;
    const { open, high, low, close } = pricesBetween(coin, from, to);
    const quoteVolume = (SHARE * volumeOf(coin) * (to - from)) / DAY_MS;
    return {
      openMs: from,
      open: inQuote(open, from),
      high: inQuote(high, to),
      low: inQuote(low, to),
      close: inQuote(close, to),
      volume: quoteVolume / close,
      quoteVolume,
      trades: 1,
    };
  }
  return {
    ...{ base: symbolOf(coin), quote, coinId: null, trap: null, state: 'open' },
    tape: {
      decimals: DECIMALS,
      priceAt: (time) => inQuote(priceAt(coin, time), time),
      bar: (openMs, intervalMs, nowMs) => barBetween(openMs, Math.min(openMs + intervalMs, nowMs)),
      day: (nowMs) => barBetween(nowMs - DAY_MS, nowMs),
    },
  };
}

/** `/prices/current/a,b` and `/chart/a,b?start&span`: prices two minutes old, and at the end of each day. */
function tokensTold(path: string, query: URLSearchParams, now: number) {
  const names = decodeURIComponent(path.split('/').at(-1) ?? '').split(',');
  const start = Number(query.get('start'));
  const span = Number(query.get('span'));
  const at = (coin: number, time: number) => ({ timestamp: time / 1000, price: priceAt(coin, time) });
  const ends = Array.from({ length: span }, (_, day) => start * 1000 + day * DAY_MS);
  const coins = names.map((name) => {
    const coin = coinOfToken(name);
    const told = path.startsWith('/chart/')
      ? { prices: ends.filter((time) => time <= now).map((time) => at(coin, time)) }
      : at(coin, now - TOKEN_AGE_MS);
    return [name, { symbol: symbolOf(coin), decimals: 18, confidence: CONFIDENCE, ...told }];
  });
  return json({ coins: Object.fromEntries(coins) });
}
