import { ApiError } from '../../http/errors.ts';
import type { Offering } from '../../marketdata/provider.ts';
import { ratesMadeAt } from '../../marketdata/rates/euro-rates.ts';
import { readDayRates } from './readers.ts';
import { xml } from './xml.ts';

const URL = 'https://www.ecb.europa.eu/stats/eurofxref';
const PATH = '/eurofxref-daily.xml';

/**
 * The European Central Bank's euro foreign exchange reference rates: some 30 currencies, about 16:00 CET on working
 * days of TARGET (ecb.europa.eu, "Euro foreign exchange reference rates").
 */
export const ecb = {
  name: 'ecb',
  title: 'The European Central Bank',
  terms: {
    summary:
      'Free, without a key. Reuse with the source named; reference rates are for information, not for transactions.',
    url: 'https://www.ecb.europa.eu/home/disclaimer/html/index.en.html',
  },
  isFree: true,
  limits: {
    requestsPerSecond: 1, // it publishes none
    rows: { candles: 0, prices: 0 },
    latest: { candles: 0, prices: 0 },
  },
  settings: { baseUrl: 'ECB_BASE_URL' },
  probePath: PATH,
  format: xml,
  endpoint: ({ ECB_BASE_URL: configured }) => ({
    baseUrl: configured ?? URL,
    headers: { accept: 'application/xml, text/xml' },
  }),

  rates: () => ({ path: PATH, read: readDayRates, madeAt: ratesMadeAt }),
  refusal: ({ status }) => new ApiError(502, `The European Central Bank answered ${status}`),
} as const satisfies Offering<'rates'>;
