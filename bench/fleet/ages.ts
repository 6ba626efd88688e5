/** How old the prices are that clients see: in tickers of coins that an exchange trades. */
import type { Request } from './traffic.ts';

/** Until the first map of markets there are no prices of exchanges: these responses are left out. */
export const FIRST_MS = 3_600_000;

export type Maker = 'exchanges' | 'provider';

interface Price {
  /** At the response. */
  readonly ageSeconds: number;
  /** How long a cache at the edge or in a browser may show it (`max-age`). */
  readonly keptSeconds: number;
  readonly madeBy: Maker;
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Spread {
  readonly median: number;
  readonly p95: number;
  readonly oldest: number;
}

/** In seconds. */
export interface PriceAges {
  readonly prices: number;
  readonly answered: Spread;
  /** With each response at the beginning, in the middle and at the end of its `max-age`. */
  readonly shown: Spread;
}

/** Collects the ages of prices. */
export class AgeMeter {
  readonly #ids: ReadonlySet<string>;
  readonly #since: number;
  #prices: Price[] = [];

  /** `ids`: the coins that an exchange trades; `start`: when the service started. */
  constructor(ids: ReadonlySet<string>, start: number) {
    this.#ids = ids;
    this.#since = start + FIRST_MS;
  }

  add({ route, parameters: { id } }: Request, answer: unknown, now: number): void {
    const { statusCode, headers, body } = answer as Answer;
    if (route !== 'ticker' || statusCode !== 200 || now < this.#since || !this.#ids.has(id)) return;
    const [, maxAge = 0] = /max-age=(\d+)/.exec(headers['cache-control'] ?? '') ?? [];
    this.#prices.push({
      ageSeconds: (now - Date.parse(headers['x-data-time'] ?? '')) / 1000,
      keptSeconds: Number(maxAge),
      // Beside a price of exchanges the provider's figures have a time of their own.
      madeBy: body.includes('"figures_at":null') ? 'provider' : 'exchanges',
    });
  }

  /** The ages since the last call, of all prices and by their makers, without those that made none. */
  take(): ReadonlyMap<Maker | 'all', PriceAges> {
    const prices = this.#prices;
    this.#prices = [];
    if (prices.length === 0) return new Map();
    const all = [['all', agesOf(prices)] as const];
    const byMaker = Map.groupBy(prices, ({ madeBy }) => madeBy);
    return new Map([...all, ...Array.from(byMaker, ([maker, own]) => [maker, agesOf(own)] as const)]);
  }
}

function agesOf(prices: readonly Price[]): PriceAges {
  const shown = prices.flatMap(({ ageSeconds, keptSeconds }) =>
    [0, 0.5, 1].map((part) => ageSeconds + part * keptSeconds),
  );
  const answered = prices.map(({ ageSeconds }) => ageSeconds);
  return { prices: prices.length, answered: spreadOf(answered), shown: spreadOf(shown) };
}

function spreadOf(values: readonly number[]): Spread {
  const ascending = values.toSorted((a, b) => a - b);
  const at = (part: number) => ascending[Math.ceil(part * ascending.length) - 1] ?? Number.NaN;
  return { median: at(0.5), p95: at(0.95), oldest: at(1) };
}
