import { DAY_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import type { Answer } from '../provider/answer.ts';
import { createBurstLimit } from './burst-limit.ts';
import type { SimulatedMarket } from './markets.ts';
import { type Asked, type ExchangeProtocol, fixed, integerOf, json, Refused } from './protocol.ts';
import { type Bar, barsBetween } from './tape.ts';

const MINUTES = [1, 5, 15, 30, 60, 240, 1440, 10_080, 21_600];
const BURST = 5;
const MAX_ROWS = 720;
const SPREAD = 0.0001;

const ALIASES: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };
/** Those that Kraken has had from its beginnings, whose names carry an X or a Z in front. */
const OLD = new Set(['XBT', 'XDG', 'ETH', 'XRP', 'XLM', 'LTC', 'XMR', 'ZEC', 'ETC', 'MLN', 'REP']);

/** The market's names: `id` keys answers, `altname` and `wsname` are for requests and for people. */
export function namesOf({ base, quote }: Pick<SimulatedMarket, 'base' | 'quote'>) {
  const symbol = ALIASES[base] ?? base;
  const asset = OLD.has(symbol) ? `X${symbol}` : symbol;
  const currency = quote === 'USD' ? 'ZUSD' : quote;
  const altname = `${symbol}${quote}`;
  // Dogecoin's pair is the one old name without the letters.
  const hasLetters = OLD.has(symbol) && symbol !== 'XDG' && quote === 'USD';
  return {
    id: hasLetters ? `${asset}${currency}` : symbol === 'USDT' ? `${symbol}${currency}` : altname,
    altname,
    wsname: `${symbol}/${quote}`,
    asset,
    currency,
  };
}

/** Kraken: every answer has HTTP status 200, and says in `error` what is wrong. */
export function kraken(markets: readonly SimulatedMarket[], requestsPerSecond: number): ExchangeProtocol {
  const listed = () => markets.filter(({ state }) => state !== 'delisted');
  const isWithinLimit = createBurstLimit(requestsPerSecond, BURST);

  function find(name: string): [string, SimulatedMarket] {
    for (const market of listed()) {
      const { id, altname, wsname } = namesOf(market);
      if ([id, altname, wsname].includes(name)) return [id, market];
    }
    throw new Refused(refused('EQuery:Unknown asset pair'));
  }

  function chosen(query: URLSearchParams): [string, SimulatedMarket][] {
    const pair = query.get('pair');
    return pair ? pair.split(',').map(find) : listed().map((market) => [namesOf(market).id, market]);
  }

  function answer(asked: Asked): Answer {
    if (!isWithinLimit(asked.atMs)) return refused('EGeneral:Too many requests');
    const { path, query, nowMs } = asked;
    switch (path.replace(/^\/0\/public\//, '')) {
      case 'Time':
        return result({ unixtime: nowMs / 1000, rfc1123: new Date(nowMs).toUTCString() });
      case 'SystemStatus':
        return result({ status: 'online', timestamp: new Date(nowMs).toISOString() });
      case 'Assets':
        return result(assets());
      case 'AssetPairs':
        return result(Object.fromEntries(chosen(query).map(([id, market]) => [id, assetPair(market)])));
      case 'Ticker':
        return result(Object.fromEntries(chosen(query).map(([id, market]) => [id, ticker(market, nowMs)])));
      case 'OHLC':
        return result(ohlc(asked));
      default:
        return refused('EGeneral:Unknown method');
    }
  }

  function assets(): object {
    const names = listed().flatMap((market) => {
      const { asset, currency } = namesOf(market);
      return [asset, currency];
    });
    const decimals = { decimals: 10, display_decimals: 5, collateral_value: 1, status: 'enabled' };
    return Object.fromEntries(
      [...new Set(names)].map((name) => [
        name,
        { aclass: 'currency', altname: name.replace(/^[XZ](?=[A-Z]{3}$)/, ''), ...decimals },
      ]),
    );
  }

  function ohlc({ query, nowMs }: Asked): object {
    const [id, { tape }] = find(query.get('pair') ?? '');
    const minutes = integerOf(query.get('interval') ?? '1');
    if (minutes === undefined || !MINUTES.includes(minutes)) {
      throw new Refused(refused('EGeneral:Invalid arguments'));
    }
    const intervalMs = minutes * MINUTE_MS;
    const since = integerOf(query.get('since') ?? '0');
    if (since === undefined) throw new Refused(refused('EGeneral:Invalid arguments:since'));
    const latest = Math.floor(nowMs / intervalMs) * intervalMs;
    // Whatever `since` says there are no older ones; those at it are not told again.
    const fromMs = Math.max(latest - (MAX_ROWS - 1) * intervalMs, since * 1000 + 1);
    const bars = barsBetween(tape, { fromMs, toMs: latest, intervalMs, nowMs }, true);
    const last = Math.max(latest - intervalMs, 0) / 1000;
    return { [id]: bars.map((bar) => row(bar, tape.decimals)), last };
  }

  return {
    answer,
    // What it cannot serve at all comes from the servers before it, as text.
    failure: (status) => ({
      status,
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      body: `error code: ${status}`,
    }),
    limited: () => refused('EGeneral:Too many requests'),
    named: {
      pattern: /[?&]pair=([^&]+)/,
      ids() {
        const names = markets.filter(({ state }) => state === 'open').map(namesOf);
        return names.filter(({ id, altname }) => id === altname).map(({ id }) => id);
      },
    },
  };
}

function result(data: object): Answer {
  return json({ error: [], result: data });
}

function refused(error: string): Answer {
  return json({ error: [error] });
}

function row({ openMs, open, high, low, close, volume, quoteVolume, trades }: Bar, decimals: number) {
  const average = volume > 0 ? Math.min(Math.max(quoteVolume / volume, low), high) : 0;
  return [
    openMs / 1000,
    ...[open, high, low, close, average].map((price) => fixed(price, decimals)),
    fixed(volume, 8),
    trades,
  ];
}

function assetPair(market: SimulatedMarket): object {
  const { altname, wsname, asset, currency } = namesOf(market);
  return {
    altname,
    wsname,
    aclass_base: 'currency',
    base: asset,
    aclass_quote: 'currency',
    quote: currency,
    lot: 'unit',
    cost_decimals: 5,
    pair_decimals: market.tape.decimals,
    lot_decimals: 8,
    lot_multiplier: 1,
    leverage_buy: [],
    leverage_sell: [],
    fees: [[0, 0.4]],
    fees_maker: [[0, 0.25]],
    fee_volume_currency: 'ZUSD',
    margin_call: 80,
    margin_stop: 40,
    ordermin: '0.0001',
    costmin: '0.5',
    tick_size: fixed(10 ** -market.tape.decimals, market.tape.decimals),
    status: market.state === 'open' ? 'online' : 'cancel_only',
  };
}

/** Each pair of figures: of the day so far (UTC), and of the last 24 hours. */
function ticker({ tape }: SimulatedMarket, nowMs: number): object {
  const last = tape.priceAt(nowMs);
  const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const spans = [tape.bar(midnight, DAY_MS, nowMs), tape.day(nowMs)];
  const prices = (of: (bar: Bar) => number) => spans.map((bar) => fixed(bar ? of(bar) : last, tape.decimals));
  const side = (price: number) => [fixed(price, tape.decimals), '1', '1.000'];
  return {
    a: side(last * (1 + SPREAD)),
    b: side(last * (1 - SPREAD)),
    c: [fixed(last, tape.decimals), '0.01000000'],
    v: spans.map((bar) => fixed(bar?.volume ?? 0, 8)),
    p: prices(({ volume, quoteVolume }) => quoteVolume / volume),
    t: spans.map((bar) => bar?.trades ?? 0),
    l: prices(({ low }) => low),
    h: prices(({ high }) => high),
    o: fixed(spans[0]?.open ?? last, tape.decimals),
  };
}
