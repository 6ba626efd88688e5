/** One suite for all providers: what market data relies on, whatever the protocol. */
import { describe, expect, it } from 'vitest';
import {
  type MarketDataProvider,
  type Offers,
  PlanRefusal,
  type ProviderRequest,
} from '../../shared/marketdata/provider.ts';
import { respond, respondJson } from '../pipeline/loopback.ts';
import { testCoins } from './coins-conformance.ts';
import { testListing } from './listing-conformance.ts';
import { testMarkets } from './markets-conformance.ts';
import { testRates } from './rates-conformance.ts';
import { testTokens, UNKNOWN_TOKEN } from './tokens-conformance.ts';
import { KEY, latest, type ProviderServer, useProvider } from './under-test.ts';

export interface ProviderUnderTest {
  readonly provider: MarketDataProvider;
  /** None knows the coin `no-such-coin`, the market `NO-SUCH`, or the token `chain:no-such-token`. */
  start(): Promise<ProviderServer>;
  /** A coin that the server knows, of a provider of coins. */
  readonly coinId?: string;
  /** A market that the server knows, with trades at all times, of an exchange. */
  readonly market?: string;
}

/** Tests a provider against a server that speaks its protocol. */
export function testProvider({ provider, start, coinId = '', market = '' }: ProviderUnderTest): void {
  const { title, settings } = provider;
  const offers = (
    [
      ...(['ticker', 'tickers', 'candles', 'prices', 'coins', 'markets'] as const),
      ...(['platforms', 'tokenPrices', 'rates', 'listedCoins'] as const),
    ] as const
  ).filter((name) => provider[name]);

  describe(`the provider ${provider.name}`, () => {
    const underTest = useProvider(provider, start);
    const { fetchFrom } = underTest;
    const anything = (offered: Offers): ProviderRequest<unknown> => {
      const [first] = offers;
      if (first === 'ticker') return offered.ticker(coinId);
      if (first === 'candles' || first === 'prices')
        return offered.candles({ id: coinId, quote: 'usd', window: latest('24h', 1) });
      if (first === 'markets') return offered.markets();
      if (first === 'platforms') return offered.platforms();
      if (first === 'tokenPrices') return offered.tokenPrices([UNKNOWN_TOKEN]);
      if (first === 'rates') return offered.rates();
      if (first === 'listedCoins') return offered.listedCoins();
      return first === 'tickers' ? offered.tickers() : offered.coins();
    };

    it('has a name, terms, limits and a base URL that can be replaced', () => {
      expect(provider.name).toMatch(/^[a-z0-9]{1,28}$/);
      expect(title).not.toBe('');
      expect(provider.terms.summary).not.toBe('');
      expect(provider.terms.url).toMatch(/^https:/);
      expect(provider.limits.requestsPerSecond).toBeGreaterThan(0);
      expect(offers.length).toBeGreaterThan(0);
      const { baseUrl } = provider.endpoint({ [settings.baseUrl]: 'http://127.0.0.1:1/base' });
      expect(baseUrl).toBe('http://127.0.0.1:1/base');
      expect(new URL(provider.endpoint({}).baseUrl).protocol).toBe('https:');
    });

    if (settings.key)
      it('sends its key with each request, and no error repeats it', async () => {
        await fetchFrom(anything);
        expect(underTest.keys).toEqual([KEY]);

        underTest.front.answer((request, response) =>
          respondJson({ error: request.headers }, 400)(request, response),
        );
        await expect(fetchFrom(anything)).rejects.toThrow(
          expect.objectContaining({ message: expect.not.stringContaining(KEY) }),
        );
      });

    testCoins(provider, underTest, coinId);
    testMarkets(provider, underTest, market);
    testTokens(provider, underTest);
    testRates(provider, underTest);
    testListing(provider, underTest);

    // The client's own errors, such as a time-out, are tested once, in shared/providers/client.test.ts.
    it.each([
      ['another shape', respondJson('a text')],
      ['500', respondJson({}, 500)],
      ['a page of a firewall', respond(403, { 'content-type': 'text/html' }, '<html>')],
    ])('turns %s into an error that names it', async (_what, listener) => {
      underTest.front.answer(listener);

      const error = await fetchFrom(anything).catch((thrown: unknown) => thrown);

      expect(error).toMatchObject({ statusCode: 502, message: expect.stringContaining(title) });
      expect(error).not.toBeInstanceOf(PlanRefusal);
    });
  });
}
