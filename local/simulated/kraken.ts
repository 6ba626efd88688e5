/** Kraken: every answer has HTTP status 200, and says in `error` what is wrong; pairs have names of its own. */
import { DAY_MS, MINUTE_MS } from './market.ts';
import { mainMarkets, type SimulatedMarket } from './markets.ts';
import {
  type Answer,
  burstLimit,
  integerOf,
  json,
  type Protocol,
  plain,
  Refused,
  type Request,
} from './protocol.ts';
import { type Bar, barsBetween, flatBar } from './tape.ts';

const MINUTES = [1, 5, 15, 30, 60, 240, 1440, 10_080, 21_600];
const BURST = 5;
const MAX_ROWS = 720;
const aliases: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };
/** Those that Kraken has had from its beginnings, whose names carry an X or a Z in front. */
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

export function kraken(markets: readonly SimulatedMarket[], requestsPerSecond: number): Protocol {
  const listed = () => markets.filter(({ state }) => state !== 'delisted');
  const isWithinLimit = burstLimit(requestsPerSecond, BURST);
  const limited = () => refused('EGeneral:Too many requests');

  function find(name: string): SimulatedMarket {
    const market = listed().find((one) => {
      const { id, altname, wsname } = namesOf(one);
      return [id, altname, wsname].includes(name);
    });
    if (!market) throw new Refused(refused('EQuery:Unknown asset pair'));
    return market;
  }

  /** Of the pairs that a request names, else of all. */
  function byPair(query: URLSearchParams, of: (market: SimulatedMarket) => object): Answer {
    const chosen = query.get('pair')?.split(',').map(find) ?? listed();
    return result(Object.fromEntries(chosen.map((market) => [idOf(market), of(market)])));
  }

  function ohlc({ query, nowMs }: Request): object {
    const market = find(query.get('pair') ?? '');
    const minutes = integerOf(query.get('interval') ?? '1');
    const since = integerOf(query.get('since') ?? '0');
    if (minutes === undefined || !MINUTES.includes(minutes) || since === undefined) {
      throw new Refused(refused('EGeneral:Invalid arguments'));
    }
    const intervalMs = minutes * MINUTE_MS;
    const latest = Math.floor(nowMs / intervalMs) * intervalMs;
    // Whatever `since` says there are no older ones, and the one that opens at it does not come again.
    const fromMs = Math.max(latest - (MAX_ROWS - 1) * intervalMs, since * 1000 + 1);
    const bars = barsBetween(market.tape, { fromMs, toMs: latest, intervalMs, nowMs }, true);
    const last = Math.max(latest - intervalMs, 0) / 1000;
    return { [idOf(market)]: bars.map((bar) => row(bar, market.tape.decimals)), last };
  }

  return {
    limited,
    refuse: (_, atMs) => (isWithinLimit(atMs) ? undefined : limited()),
    answer(request) {
      const { path, query, nowMs } = request;
      switch (path.replace(/^\/0\/public\//, '')) {
        case 'Time':
          return result({ unixtime: nowMs / 1000, rfc1123: new Date(nowMs).toUTCString() });
        case 'AssetPairs':
          return byPair(query, assetPair);
        case 'Ticker':
          return byPair(query, (market) => ticker(market, nowMs));
        case 'OHLC':
          return result(ohlc(request));
        default:
          return refused('EGeneral:Unknown method');
      }
    },
    // What it cannot serve at all comes from the servers before it, as text.
    failure: (status) => plain(status, `error code: ${status}`, 'text/plain; charset=utf-8'),
    named: {
      pattern: /[?&]pair=([^&]+)/,
      names() {
        const names = mainMarkets(markets).map(namesOf);
        // The same in requests and in answers.
        return names.filter(({ id, altname }) => id === altname).map(({ id }) => id);
      },
    },
  };
}

function result(data: object): Answer {
  return json({ error: [], result: data });
}

/** No data, so that no lie changes it. */
function refused(error: string): Answer {
  return plain(200, JSON.stringify({ error: [error] }), 'application/json; charset=utf-8');
}

function row({ openMs, open, high, low, close, volume, quoteVolume, trades }: Bar, decimals: number) {
  const average = volume > 0 ? Math.min(Math.max(quoteVolume / volume, low), high) : 0;
  const prices = [open, high, low, close, average].map((price) => price.toFixed(decimals));
  return [openMs / 1000, ...prices, volume.toFixed(8), trades];
}

function assetPair(market: SimulatedMarket): object {
  const { altname, wsname, asset, currency } = namesOf(market);
  return {
    ...{ altname, wsname, aclass_base: 'currency', base: asset, aclass_quote: 'currency', quote: currency },
    ...{
      lot: 'unit',
      cost_decimals: 5,
      pair_decimals: market.tape.decimals,
      lot_decimals: 8,
      lot_multiplier: 1,
    },
    ...{ leverage_buy: [], leverage_sell: [], fees: [[0, 0.4]], fees_maker: [[0, 0.25]] },
    ...{ ordermin: '0.0001', costmin: '0.5' },
    tick_size: (10 ** -market.tape.decimals).toFixed(market.tape.decimals),
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
