/** Kraken: every response has HTTP status 200, with problems in `error`; pairs have names of their own. */
import { DAY_MS, MINUTE_MS } from './market.ts';
import { mainMarkets, type SimulatedMarket } from './markets.ts';
import { type Answer, integerOf, json, type Protocol, plain, Refused, type Request } from './protocol.ts';
import { type Bar, barsBetween, flatBar } from './tape.ts';

const MINUTES = [1, 5, 15, 30, 60, 240, 1440, 10_080, 21_600];
const MAX_ROWS = 720;
const aliases: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };
/** Kraken's oldest assets, whose names have an X or a Z in front. */
const old = new Set(['XBT', 'XDG', 'ETH', 'XRP', 'XLM', 'LTC', 'XMR', 'ZEC', 'ETC', 'MLN', 'REP']);

/** The market's names: `id` keys answers, `altname` and `wsname` are for requests and for people. */
function namesOf({ base, quote }: Pick<SimulatedMarket, 'base' | 'quote'>) {
  const symbol = aliases[base] ?? base;
  const asset = old.has(symbol) ? `X${symbol}` : symbol;
  const currency = quote === 'USD' ? 'ZUSD' : quote;
  const altname = `${symbol}${quote}`;
  // Dogecoin's pair is the one old name without the letters.
  const hasLetters = old.has(symbol) && symbol !== 'XDG' && quote === 'USD';
  const id = hasLetters ? `${asset}${currency}` : symbol === 'USDT' ? `${symbol}${currency}` : altname;
  return { id, altname, wsname: `${symbol}/${quote}`, asset, currency };
}

export const idOf = (market: Pick<SimulatedMarket, 'base' | 'quote'>) => namesOf(market).id;

export function kraken(markets: readonly SimulatedMarket[]): Protocol {
  const listed = () => markets.filter(({ state }) => state !== 'delisted');

  function find(name: string): SimulatedMarket {
    const market = listed().find((one) => {
      const { id, altname, wsname } = namesOf(one);
      return [id, altname, wsname].includes(name);
    });
    return market ?? refuse('EQuery:Unknown asset pair');
  }

  /** The rows of the pairs that a request names, or of all. */
  const byPair = (of: (market: SimulatedMarket, nowMs: number) => object) => (request: Request) => {
    const chosen = request.query.get('pair')?.split(',').map(find) ?? listed();
    return Object.fromEntries(chosen.map((market) => [idOf(market), of(market, request.nowMs)]));
  };

  return {
    burst: 5,
    limited: () => failed('EGeneral:Too many requests'),
    unknown: () => failed('EGeneral:Unknown method'),
    // Errors of the servers before it are text.
    failure: (status) => plain(status, `error code: ${status}`, 'text/plain; charset=utf-8'),
    respond: (result) => json({ error: [], result }),
    routes: {
      '/0/public/Time': ({ nowMs }) => ({ unixtime: nowMs / 1000, rfc1123: new Date(nowMs).toUTCString() }),
      '/0/public/AssetPairs': byPair(assetPair),
      '/0/public/Ticker': byPair(ticker),
      '/0/public/OHLC': (request) => ohlc(find(request.query.get('pair') ?? ''), request),
    },
    named: {
      pattern: /[?&]pair=([^&]+)/,
      names() {
        const names = mainMarkets(markets).map(namesOf);
        // Only names that are the same in requests and in answers.
        return names.filter(({ id, altname }) => id === altname).map(({ id }) => id);
      },
    },
  };
}

/** A response with an error and without data, so that no lie changes it. */
function failed(error: string): Answer {
  return plain(200, JSON.stringify({ error: [error] }), 'application/json; charset=utf-8');
}

function refuse(error: string): never {
  throw new Refused(failed(error));
}

function ohlc(market: SimulatedMarket, { query, nowMs }: Request): object {
  const minutes = integerOf(query.get('interval') ?? '1');
  const since = integerOf(query.get('since') ?? '0');
  if (minutes === undefined || !MINUTES.includes(minutes) || since === undefined)
    return refuse('EGeneral:Invalid arguments');
  const intervalMs = minutes * MINUTE_MS;
  const latest = Math.floor(nowMs / intervalMs) * intervalMs;
  // There are at most 720 rows, and the one that opens at `since` is not repeated.
  const fromMs = Math.max(latest - (MAX_ROWS - 1) * intervalMs, since * 1000 + 1);
  const bars = barsBetween(market.tape, { fromMs, toMs: latest, intervalMs, nowMs }, true);
  const last = Math.max(latest - intervalMs, 0) / 1000;
  return { [idOf(market)]: bars.map((bar) => row(bar, market.tape.decimals)), last };
}

function row({ openMs, open, high, low, close, volume, quoteVolume, trades }: Bar, decimals: number) {
  const average = volume > 0 ? Math.min(Math.max(quoteVolume / volume, low), high) : 0;
  const prices = [open, high, low, close, average].map((price) => price.toFixed(decimals));
  return [openMs / 1000, ...prices, volume.toFixed(8), trades];
}

function assetPair(market: SimulatedMarket): object {
  const { altname, wsname, asset, currency } = namesOf(market);
  const { decimals } = market.tape;
  return {
    ...{ altname, wsname, aclass_base: 'currency', base: asset, aclass_quote: 'currency', quote: currency },
    ...{ lot: 'unit', cost_decimals: 5, pair_decimals: decimals, lot_decimals: 8, lot_multiplier: 1 },
    ...{ leverage_buy: [], leverage_sell: [], fees: [[0, 0.4]], fees_maker: [[0, 0.25]] },
    ...{ ordermin: '0.0001', costmin: '0.5', tick_size: (10 ** -decimals).toFixed(decimals) },
    status: market.state === 'open' ? 'online' : 'cancel_only',
  };
}

/** Each pair of figures: of the day so far (UTC), and of the last 24 hours. */
function ticker({ tape }: SimulatedMarket, nowMs: number): object {
  const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const today = tape.bar(midnight, DAY_MS, nowMs) ?? flatBar(tape, midnight);
  const spans = [today, tape.day(nowMs)];
  const fixed = (price: number) => price.toFixed(tape.decimals);
  const last = fixed(tape.priceAt(nowMs));
  return {
    ...{ a: [last, '1', '1.000'], b: [last, '1', '1.000'], c: [last, '0.01000000'] },
    v: spans.map(({ volume }) => volume.toFixed(8)),
    p: spans.map(({ volume, quoteVolume, close }) => fixed(volume > 0 ? quoteVolume / volume : close)),
    t: spans.map(({ trades }) => trades),
    l: spans.map(({ low }) => fixed(low)),
    h: spans.map(({ high }) => fixed(high)),
    o: fixed(today.open),
  };
}
