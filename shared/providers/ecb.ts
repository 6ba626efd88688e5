import { ApiError } from '../http/errors.ts';
import { Implausible } from '../marketdata/gate/implausible.ts';
import type { AnswerFormat, DayRates, Offering } from '../marketdata/provider.ts';
import { ratesMadeAt } from '../marketdata/rates.ts';
import { readXml, type XmlElement } from '../platform/xml.ts';

const xml: AnswerFormat = { name: 'XML', type: /[/+]xml\b/i, parse: readXml };

const URL = 'https://www.ecb.europa.eu/stats/eurofxref';
const PATH = '/eurofxref-daily.xml';
const PAST_PATH = '/eurofxref-hist.xml';

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
  isPaid: false,
  scheduledProbes: false,
  limits: {
    requestsPerSecond: 1, // it publishes none
    per: 'service',
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
  pastRates: () => ({ path: PAST_PATH, read: readPastRates }),
  refusal: ({ status }) => new ApiError(502, `The European Central Bank answered ${status}`),
} as const satisfies Offering<'rates' | 'pastRates'>;

/** The one day in `<Envelope><Cube><Cube time><Cube currency rate/>…`. Throws Implausible for a currency that is there twice. */
function readDayRates(document: unknown): DayRates {
  const [day, ...others] = readPastRates(document);
  if (!day || others.length > 0)
    throw new Error(`the list of days has ${others.length + 1} entries in place of one`);
  return day;
}

/** The same file with more days. */
function readPastRates(document: unknown): DayRates[] {
  const [envelope, ...content] = document as readonly XmlElement[]; // from the format's own parser
  if (envelope?.name !== 'Envelope') throw new Error(`the answer is ${envelope?.name} in place of Envelope`);
  const days: { readonly day: string; readonly rates: Map<string, string> }[] = [];
  for (const { name, depth, attributes } of content) {
    const attribute = (key: string) => attributes.get(key) ?? missing(key);
    if (name !== 'Cube') continue;
    if (depth === 2) days.push({ day: attribute('time'), rates: new Map() });
    if (depth === 3) addRate(days.at(-1)?.rates ?? missing('time'), attribute('currency'), attribute('rate'));
  }
  if (days.length === 0) throw new Error('the list of days is empty');
  return days.map(({ day, rates }) => ({ day, rates: Object.fromEntries(rates) }));
}

function addRate(rates: Map<string, string>, code: string, rate: string): void {
  if (rates.has(code)) throw new Implausible('Identity', `${JSON.stringify(code.slice(0, 20))} twice`);
  rates.set(code, rate);
}

function missing(name: string): never {
  throw new Error(`${name} is missing`);
}
