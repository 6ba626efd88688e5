/** DefiLlama's prices of tokens by `chain:address`; names come back as they were sent, unknown ones not at all. */
import type { Asset, Market } from './market.ts';
import { integerOf, json, type Protocol, Refused, statusText } from './protocol.ts';
import { type SimulatedToken, tokenKey, tokenPrice } from './tokens.ts';

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const MAX_POINTS = 500;
const EVM_DECIMALS = 18;
const SOLANA_DECIMALS = 9;

export function defillama(market: Market, tokens: ReadonlyMap<string, SimulatedToken>): Protocol {
  function prices(names: readonly string[], ms: number): object {
    return byName(names, (asset, token) => {
      const { at, ...price } = tokenPrice(asset, token, ms) ?? {};
      return at === undefined ? undefined : { ...price, timestamp: at / 1000 };
    });
  }

  /** `span` prices, `period` apart, from `start` on, or up to now. */
  function charts(names: readonly string[], query: URLSearchParams, nowMs: number): object {
    const stepMs = secondsIn(query.get('period') ?? '1d') * 1000;
    const span = Math.min(integerOf(query.get('span') ?? '1') ?? refuse('span'), MAX_POINTS);
    const start = integerOf(query.get('start'));
    const fromMs = start === undefined ? nowMs - (span - 1) * stepMs : start * 1000;
    const times = Array.from({ length: span }, (_, index) => fromMs + index * stepMs);
    return byName(names, (asset, token) => {
      // The past of a price that is old now was known in time.
      const known = { ...token, trap: token.trap === 'old' ? null : token.trap };
      const points = times.filter((ms) => ms <= nowMs).flatMap((ms) => tokenPrice(asset, known, ms) ?? []);
      const chart = points.map(({ at, price }) => ({ timestamp: at / 1000, price }));
      return points[0] && { confidence: points[0].confidence, prices: chart };
    });
  }

  function byName(names: readonly string[], of: (asset: Asset, token: SimulatedToken) => object | undefined) {
    const entries = names.flatMap((name) => {
      const token = tokens.get(tokenKey(name));
      const asset = token && market.asset(token.coinId);
      const found = asset && of(asset, token);
      const decimals = name.startsWith('solana:') ? SOLANA_DECIMALS : EVM_DECIMALS;
      return found ? [[name, { decimals, symbol: asset.coin.symbol, ...found }] as const] : [];
    });
    return { coins: Object.fromEntries(entries) };
  }

  return {
    failure,
    burst: 20,
    routes: {
      '/chart/{coins}': ({ parameters, query, nowMs }) => charts(namesIn(parameters.coins), query, nowMs),
      '/prices/current/': () => refuse('coins'),
      '/prices/current/{coins}': ({ parameters, nowMs }) => prices(namesIn(parameters.coins), nowMs),
    },
    named: {
      pattern: /^\/(?:chart|prices\/current)\/([^/?]+)/,
      names: () => [...tokens.values()].filter(({ trap }) => trap === null).map(({ name }) => name),
    },
  };
}

function failure(status: number) {
  return json({ message: statusText(status, 'Too Many Requests') }, status);
}

function refuse(what: string): never {
  throw new Refused(json({ message: `Invalid ${what}` }, 400));
}

function namesIn(text: string | undefined): string[] {
  const names = text?.split(',').filter((name) => name.includes(':')) ?? [];
  return names.length > 0 ? names : refuse('coins');
}

/** The seconds in `1d`, `6h`, `1W`. */
function secondsIn(text: string): number {
  const [, count, unit = ''] = /^(\d{1,4})([smhdw])$/i.exec(text) ?? [];
  const seconds = Number(count) * (units[unit.toLowerCase()] ?? Number.NaN);
  return seconds > 0 ? seconds : refuse('period');
}
