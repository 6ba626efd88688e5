import type { Answer } from '../provider/answer.ts';
import type { Market } from '../provider/market.ts';
import { statusText } from '../provider/misbehave.ts';
import { createBurstLimit } from './burst-limit.ts';
import { type Asked, type ExchangeProtocol, integerOf, json, Refused } from './protocol.ts';
import { keyOf, type SimulatedToken, tokenPrice } from './tokens.ts';

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const BURST = 20;
const MAX_POINTS = 500;
const EVM_DECIMALS = 18;
const SOLANA_DECIMALS = 9;

/** DefiLlama's prices of tokens by `chain:address`; names come back as they were sent. */
export function defillama(
  market: Market,
  tokens: ReadonlyMap<string, SimulatedToken>,
  requestsPerSecond: number,
): ExchangeProtocol {
  const isWithinLimit = createBurstLimit(requestsPerSecond, BURST);

  function answer({ path, query, atMs, nowMs }: Asked): Answer {
    if (!isWithinLimit(atMs)) return failure(429);
    const [, area, ...rest] = path.split('/').map(decoded);
    if (area === 'chart' && rest.length === 1) return json({ coins: charts(namesIn(rest[0]), query, nowMs) });
    const [what, first, second, ...more] = rest;
    if (area !== 'prices' || more.length > 0) return failure(404);
    if (what === 'current' && second === undefined) return json({ coins: prices(namesIn(first), nowMs) });
    const seconds = integerOf(first ?? null);
    if (what !== 'historical' || seconds === undefined) return failure(404);
    return json({ coins: prices(namesIn(second), Math.min(seconds * 1000, nowMs)) });
  }

  function prices(names: readonly string[], ms: number): object {
    return told(names, (token) => {
      const { symbol, decimals, asset } = token;
      const found = tokenPrice(asset, token.simulated, ms);
      return (
        found && {
          decimals,
          symbol,
          price: found.price,
          timestamp: found.at / 1000,
          confidence: found.confidence,
        }
      );
    });
  }

  /** `span` prices, `period` apart, from `start` on or up to `end`, which is now unless told. */
  function charts(names: readonly string[], query: URLSearchParams, nowMs: number): object {
    const stepMs = secondsIn(query.get('period') ?? '1d') * 1000;
    const span = Math.min(integerOf(query.get('span') ?? '1') ?? refuse('span'), MAX_POINTS);
    const [start, end] = ['start', 'end'].map((name) => integerOf(query.get(name)));
    if (start !== undefined && end !== undefined) refuse('start and end');
    const fromMs = start === undefined ? (end ?? nowMs / 1000) * 1000 - (span - 1) * stepMs : start * 1000;
    const times = Array.from({ length: span }, (_, index) => fromMs + index * stepMs);
    return told(names, ({ symbol, decimals, asset, simulated }) => {
      const points = times
        .filter((ms) => ms <= nowMs)
        .flatMap((ms) => tokenPrice(asset, { ...simulated, trap: chartTrap(simulated) }, ms) ?? []);
      const [first] = points;
      if (!first) return undefined;
      const told = points.map(({ at, price }) => ({ timestamp: at / 1000, price }));
      return { symbol, confidence: first.confidence, decimals, prices: told };
    });
  }

  /** By name, as it was sent, of those that are known. */
  function told(names: readonly string[], of: (token: Known) => object | undefined): object {
    return Object.fromEntries(
      names.flatMap((name) => {
        const token = known(name);
        const found = token && of(token);
        return found ? [[name, found] as const] : [];
      }),
    );
  }

  function known(name: string) {
    const simulated = tokens.get(keyOf(name));
    const asset = simulated && market.asset(simulated.coinId);
    if (!simulated || !asset) return undefined;
    const decimals = name.startsWith('solana:') ? SOLANA_DECIMALS : EVM_DECIMALS;
    return { simulated, asset, symbol: asset.coin.symbol, decimals };
  }
  type Known = NonNullable<ReturnType<typeof known>>;

  return {
    answer,
    failure,
    limited: () => failure(429),
    named: {
      pattern: /^\/(?:chart|prices\/current)\/([^/?]+)/,
      ids: () => [...tokens.values()].filter(({ trap }) => trap === null).map(({ name }) => name),
    },
  };
}

/** The past of a price that is old now was told in time. */
function chartTrap({ trap }: SimulatedToken): SimulatedToken['trap'] {
  return trap === 'old' ? null : trap;
}

function failure(status: number): Answer {
  return json({ message: statusText(status, 'Too Many Requests') }, status);
}

function refuse(what: string): never {
  throw new Refused(json({ message: `Invalid ${what}` }, 400));
}

function namesIn(text: string | undefined): string[] {
  const names = text?.split(',').filter((name) => name.includes(':')) ?? [];
  return names.length > 0 ? names : refuse('coins');
}

/** Of `1d`, `6h`, `1W`. */
function secondsIn(text: string): number {
  const [, count, unit = ''] = /^(\d{1,4})([smhdw])$/i.exec(text) ?? [];
  const seconds = Number(count) * (units[unit.toLowerCase()] ?? Number.NaN);
  return seconds > 0 ? seconds : refuse('period');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
