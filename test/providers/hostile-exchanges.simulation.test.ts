/** Any response of an exchange is refused or corrected before it is used. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimulatedSource, startSimulated } from '../../local/simulated/index.ts';
import { lieNames } from '../../local/simulated/lies.ts';
import { exchangeNames } from '../../local/simulated/protocols.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { Candle } from '../../shared/marketdata/candles.ts';
import type { ProviderRequest } from '../../shared/marketdata/provider.ts';
import type { Market, MarketQuote } from '../../shared/marketdata/sources/market.ts';
import type { Span } from '../../shared/marketdata/window.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { type ExchangeOffer, exchanges, sourceClientFor } from '../../shared/providers/sources.ts';
import { isLong } from '../setup/long.ts';
import { unhurried } from '../unhurried.ts';
import { answered } from './answered.ts';
import { jsonText, mutilated } from './mutilated.ts';
import { window } from './spoken/candles.ts';
import { spoken } from './spoken.ts';

const RUNS = isLong ? 500 : 60;

/** What passes; undefined for a refusal, which is one that a caller can understand. */
function passed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect([404, 429, 502]).toContain(error instanceof ApiError && error.statusCode);
    return undefined;
  }
}

function expectMarkets(markets: readonly Market[]): void {
  expect(new Set(markets.map(({ id }) => id)).size).toBe(markets.length);
  expect(markets.some(({ isOpen }) => isOpen)).toBe(true);
  for (const { id, base, quote } of markets) {
    for (const name of [id, base, quote]) expect(name).toMatch(/^\S{1,64}$/u);
    expect(base + quote).toBe((base + quote).toUpperCase());
  }
}

function expectQuotes(quotes: readonly MarketQuote[], asked: readonly string[]): void {
  expect(new Set(quotes.map(({ market }) => market)).size).toBe(quotes.length);
  for (const { market, price, volume, change } of quotes) {
    expect(asked).toContain(market);
    expect(price > 0 && price < 1e15).toBe(true);
    expect(volume >= 0 && Number.isFinite(volume)).toBe(true);
    expect(change === null || (change >= -100 && Number.isFinite(change))).toBe(true);
  }
}

function expectCandles(candles: readonly Candle[], { from, to, stepMs }: Span): void {
  const opens = candles.map(({ time_open }) => Date.parse(time_open));
  expect(opens).toEqual([...new Set(opens)].sort((a, b) => a - b));
  for (const [index, { open, high, low, close, volume, market_cap }] of candles.entries()) {
    const time = opens[index] ?? Number.NaN;
    expect(time >= from && time < to && time % stepMs === 0).toBe(true);
    for (const price of [open, high, low, close]) expect(price > 0 && price < 1e15).toBe(true);
    expect(low <= Math.min(open, close) && high >= Math.max(open, close)).toBe(true);
    expect([volume, market_cap]).toEqual([null, null]);
  }
}

describe.each(spoken)('any JSON of $exchange.name', ({ exchange, market, other, ...proper }) => {
  /** How many answers passed; the proper one does in any case. */
  function passing<T>(json: unknown, read: (body: string) => T, check: (data: T) => void): number {
    let usable = 0;
    check(read(jsonText(json)));
    fc.assert(
      fc.property(fc.oneof(mutilated(json), fc.jsonValue()), (changed) => {
        const data = passed(() => read(jsonText(changed)));
        if (data === undefined) return;
        usable += 1;
        check(data);
      }),
      { numRuns: RUNS, ...(!isLong && { seed: 26 }) }, // how many pass depends on it
    );
    return usable;
  }

  it('is a list of markets, or refused', () => {
    const read = (body: string) => answered(exchange, ({ markets }) => markets(), { body });
    expect(passing(proper.markets, read, expectMarkets)).toBeGreaterThan(RUNS / 25);
  });

  it('has the last prices of the requested markets, or is refused', () => {
    const asked = [market, other];
    const read = (body: string) => answered(exchange, ({ quotes }) => quotes(asked), { body });
    expect(passing(proper.quotes, read, (quotes) => expectQuotes(quotes, asked))).toBeGreaterThan(RUNS / 25);
  });

  it('is candles of the window, possible and ascending, or refused', () => {
    const read = (body: string) =>
      answered(exchange, (offered) => offered.marketCandles({ market, window }), { body });
    expect(passing(proper.candles, read, (candles) => expectCandles(candles, window))).toBeGreaterThan(
      RUNS / 50,
    );
  });
});

/** Lies about candles that cannot be detected. The others are corrected, lose a row, or look like a quiet market. */
const refusedLies = new Set('mixedtimes,future,short,zero,negative,nan,noprice,giant,impossible'.split(','));

/** Each lie of one exchange; in the long project, of all of them. */
const lieOf = exchangeNames.map((name, exchange) => ({
  name,
  lies: lieNames('markets').filter((_, lie) => isLong || lie % exchangeNames.length === exchange),
}));

describe.each(lieOf)('a lie of $name', ({ name, lies }) => {
  let server: SimulatedSource;
  beforeAll(async () => {
    server = (await startSimulated())[name];
  });
  afterAll(() => server.close());

  it.each(lies)('%s never gets past the gate', async (lie) => {
    const exchange = exchanges.get(name);
    if (!exchange) throw new Error(`No exchange ${name}`);
    const environment = parseEnvironment({ [exchange.settings.baseUrl]: server.url });
    const client = sourceClientFor<ExchangeOffer>(environment, unhurried(exchange));
    const fetched = async <T>(asked: ProviderRequest<T>, price?: number) => {
      const deadline = Date.now() + 15_000;
      const outcome = await client.fetch(asked, deadline, { price }).catch((error: unknown) => error);
      return passed(() => {
        if (outcome instanceof Error) throw outcome;
        return outcome as { data: T }; // not an error
      });
    };
    server.setFault(null);
    const listed = await fetched(client.provider.markets());
    const open = listed?.data.filter(({ isOpen }) => isOpen).slice(0, 30) ?? [];
    const ids = open.map(({ id }) => id);
    const [first = ''] = ids;
    const honest = await fetched(client.provider.marketCandles({ market: first, window }));
    server.setFault(`lie=${lie}`);

    const markets = await fetched(client.provider.markets());
    const quotes = await fetched(client.provider.quotes(ids));
    const request = client.provider.marketCandles({ market: first, window });
    const candles = await fetched(request);
    const scaled = await fetched(request, honest?.data.at(-1)?.close);
    if (refusedLies.has(lie)) expect(candles).toBeUndefined();
    if (lie === 'scaled') expect(scaled).toBeUndefined();
    if (markets) expectMarkets(markets.data);
    if (quotes) expectQuotes(quotes.data, ids);
    if (candles) expectCandles(candles.data, window);
  });
});
