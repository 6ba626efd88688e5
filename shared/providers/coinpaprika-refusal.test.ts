import { describe, expect, it } from 'vitest';
import { ApiError } from '../http/errors.ts';
import { PlanRefusal } from '../marketdata/provider.ts';
import type { HttpAnswer } from '../platform/transport.ts';
import { coinpaprika } from './coinpaprika.ts';

const refusalOf = coinpaprika.refusal;

const answer = (status: number, body: string, type = 'application/json'): HttpAnswer => ({
  status,
  headers: type ? { 'content-type': type } : {},
  body: Buffer.from(body),
});

const error = (text: string) => JSON.stringify({ error: text });

const candlesRefused =
  'Getting historical OHLCV data before 2026-09-17 03:59:32.385856048 +0000 UTC is not allowed in this plan. ' +
  'Check plans on coinpaprika.com/api';
const pricesRefused =
  'Getting daily historical data before 2025-10-07 13:25:47.673661758 +0000 UTC is not allowed in this plan. ' +
  'Check plans on coinpaprika.com/api';

describe('a refusal of the plan', () => {
  it.each([
    ['402 for candles', 402, candlesRefused, Date.UTC(2026, 8, 17, 3, 59, 32)],
    ['402 for prices', 402, pricesRefused, Date.UTC(2025, 9, 7, 13, 25, 47)],
    ['400 of an older server', 400, candlesRefused, Date.UTC(2026, 8, 17, 3, 59, 32)],
    ['402 without a date', 402, 'Getting 1h data is not allowed in this plan.', undefined],
    ['402 with an impossible date', 402, 'before 2026-13-45 99:99:99 is not allowed in this plan', undefined],
  ])('is known with the moment from which the plan gives data: %s', (_what, status, text, since) => {
    const refusal = refusalOf(answer(status, error(text)), { coinId: 'btc-bitcoin' });

    expect(refusal).toBeInstanceOf(PlanRefusal);
    expect(refusal).toMatchObject({ statusCode: 502, since });
  });

  it('names what was asked for', () => {
    const refusal = refusalOf(answer(402, error('not allowed in this plan')), { asked: 'this ticker' });

    expect(refusal.message).toBe("CoinPaprika refused: the provider's plan does not include this ticker");
  });
});

describe('a limit that is reached', () => {
  const rate = 'This plan has 25000 monthly requests limit, your requests rate is: 25001.152610. Check plans';

  it.each([
    ['a 402 with nothing', answer(402, '', '')],
    ['a 402 with another text than a plan’s boundary', answer(402, error('Payment Required'))],
    ['a 402 that is no JSON', answer(402, '<html>', 'text/html')],
    ['the text about the rate of requests', answer(402, error(rate))],
    ['the same text with another status', answer(400, error(rate))],
  ])('is a 429 that says when to come back: %s', (_what, refused) => {
    const refusal = refusalOf(refused, { coinId: 'btc-bitcoin' });

    expect(refusal).not.toBeInstanceOf(PlanRefusal);
    expect(refusal).toMatchObject({
      statusCode: 429,
      message: "Rate limit exceeded: the provider's (CoinPaprika); try again in 60 s",
      headers: { 'retry-after': '60' },
    });
  });
});

describe('any other refusal', () => {
  it('is a 404 that names the coin where the provider does not know the id', () => {
    const refusal = refusalOf(answer(404, error('id not found')), { coinId: 'no-coin' });

    expect(refusal).toEqual(new ApiError(404, 'Unknown coin id: no-coin'));
  });

  it.each([
    ['a 404 in plain text: an unknown route', answer(404, '404 page not found', 'text/plain'), '404'],
    ['a 400', answer(400, error('Invalid parameters')), '400: Invalid parameters'],
    ['a 403 of a firewall', answer(403, '<html>blocked</html>', 'text/html'), '403'],
    ['a 403 of the provider', answer(403, error('invalid API key')), '403: invalid API key'],
    ['a 500 with nothing', answer(500, '', ''), '500'],
    ['a 503', answer(503, error('try later')), '503: try later'],
    ['a redirect that is not followed', answer(302, '', ''), '302'],
    ['a 204', answer(204, '', ''), '204'],
    ['an error that is no text', answer(500, '{"error":{"code":1}}'), '500'],
    ['an error that is null', answer(500, 'null'), '500'],
    ['an endless error', answer(500, error('x'.repeat(5000))), `500: ${'x'.repeat(200)}`],
  ])('is a 502 that says what came: %s', (_what, refused, what) => {
    const refusal = refusalOf(refused, { coinId: 'btc-bitcoin' });

    expect(refusal).not.toBeInstanceOf(PlanRefusal);
    expect(refusal).toEqual(new ApiError(502, `CoinPaprika answered ${what}`));
  });
});
