import { ApiError } from '../http/errors.ts';
import { Implausible } from '../marketdata/gate/implausible.ts';
import type { AnswerFormat, DayRates, Offering } from '../marketdata/provider.ts';
import { ratesMadeAt } from '../marketdata/rates.ts';
import { elementsNamed, readXml, type XmlElement } from '../platform/xml.ts';

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
  return ratesOf(only(daysIn(document), 'the list of days'));
}

/** The same file with more days. */
function readPastRates(document: unknown): DayRates[] {
  return daysIn(document).map(ratesOf);
}

function daysIn(document: unknown): XmlElement[] {
  const envelope = document as XmlElement; // from the format's own parser
  if (envelope.name !== 'Envelope') throw new Error(`the answer is ${envelope.name} in place of Envelope`);
  return cubesIn(only(cubesIn(envelope, 'the envelope'), 'the envelope'), 'the list of days');
}

function ratesOf(day: XmlElement): DayRates {
  const rates = new Map<string, string>();
  for (const rate of cubesIn(day, 'the list of rates')) {
    const code = attribute(rate, 'currency');
    if (rates.has(code)) throw new Implausible('Identity', `${JSON.stringify(code.slice(0, 20))} twice`);
    rates.set(code, attribute(rate, 'rate'));
  }
  return { day: attribute(day, 'time'), rates: Object.fromEntries(rates) };
}

/** The `Cube`s in an element that has some. */
function cubesIn(element: XmlElement, name: string): XmlElement[] {
  const cubes = elementsNamed(element, 'Cube');
  if (cubes.length === 0) throw new Error(`${name} is empty`);
  return cubes;
}

function only(cubes: readonly XmlElement[], name: string): XmlElement {
  const [cube, ...others] = cubes;
  if (!cube || others.length > 0) throw new Error(`${name} has ${cubes.length} entries in place of one`);
  return cube;
}

function attribute({ attributes }: XmlElement, name: string): string {
  const value = attributes.get(name);
  if (value === undefined) throw new Error(`${name} is missing`);
  return value;
}
