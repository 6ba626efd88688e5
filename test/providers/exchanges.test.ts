/** What all exchanges have in common, in their own formats. */
import { describe, expect, it } from 'vitest';
import { isoSeconds } from '../../shared/platform/time.ts';
import { answered, type GivenAnswer } from './answered.ts';
import { rows, window } from './spoken/candles.ts';
import { spoken } from './spoken.ts';

describe.each(spoken)('$exchange.title', ({ exchange, market, other, ...proper }) => {
  const candlesFrom = (answer: GivenAnswer) =>
    answered(exchange, (offered) => offered.marketCandles({ market, window }), answer);

  it('has candles of the prices of its rows, ascending, and without amounts', () => {
    expect(candlesFrom({ body: proper.candles })).toEqual(
      rows.map(({ time, ...prices }) => ({
        ...prices,
        time_open: isoSeconds(time),
        time_close: isoSeconds(time + window.stepMs - 1000),
        volume: null,
        market_cap: null,
      })),
    );
  });

  it('has last prices of the requested markets only', () => {
    const marketsOf = (asked: readonly string[]) =>
      answered(exchange, ({ quotes }) => quotes(asked), { body: proper.quotes }).map((quote) => quote.market);

    expect(marketsOf([market, other])).toEqual([market, other]);
    expect(marketsOf([market, 'ANOTHER'])).toEqual([market]);
  });

  it.each([
    [403, '<html>', '’s firewall refuses the address that asks (403)'],
    [451, '', ' refuses the region of the request (451)'],
    [404, '<html>', ' answered 404'],
    [500, {}, ' answered 500'],
  ])('is out of order when it answers %i with %j', (status, body, text) => {
    expect(() => candlesFrom({ status, body })).toThrow(
      expect.objectContaining({ statusCode: 502, message: exchange.title + text }),
    );
  });
});
