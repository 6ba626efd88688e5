import { type X2jOptions, XMLParser } from 'fast-xml-parser';
import { ApiError } from '../http/errors.ts';
import { Implausible } from '../marketdata/gate/implausible.ts';
import type { AnswerFormat, DayRates, Offering } from '../marketdata/provider.ts';
import { ratesMadeAt } from '../marketdata/rates.ts';
import { array, type JsonObject, object, text } from '../platform/json-fields.ts';

/** Texts stay texts. Attributes are beside elements, which are lists if there may be several. */
const XML_OPTIONS: X2jOptions = {
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: 10,
  isArray: (name, _path, _isLeaf, isAttribute) => name === 'Cube' && !isAttribute,
};

/** Document types, and with them entities, are the harmful part of XML; comments are allowed. */
const DECLARATION = /<!(?!--)/;

const xml: AnswerFormat = {
  name: 'XML',
  type: /[/+]xml\b/i,
  parse(text) {
    if (DECLARATION.test(text)) throw new Error('XML with a document type or another declaration in it');
    try {
      return new XMLParser(XML_OPTIONS).parse(text, true);
    } catch (cause) {
      throw new SyntaxError('XML that is not well-formed', { cause });
    }
  },
};

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
  return array(daysIn(document).Cube, 'the list of days').map((day) => ratesOf(object(day, 'a day')));
}

function daysIn(document: unknown): JsonObject {
  return only(object(object(document, 'the answer').Envelope, 'Envelope'), 'the envelope');
}

function ratesOf(day: JsonObject): DayRates {
  const rates = new Map<string, string>();
  for (const item of array(day.Cube, 'the list of rates')) {
    const rate = object(item, 'a rate');
    const code = text(rate, 'currency');
    if (rates.has(code)) throw new Implausible('Identity', `${JSON.stringify(code.slice(0, 20))} twice`);
    rates.set(code, text(rate, 'rate'));
  }
  return { day: text(day, 'time'), rates: Object.fromEntries(rates) };
}

/** The `Cube` in an element that has one. */
function only({ Cube: cubes }: JsonObject, name: string): JsonObject {
  const [cube, ...others] = array(cubes, name);
  if (others.length > 0) throw new Error(`${name} has ${others.length + 1} entries in place of one`);
  return object(cube, `what is in ${name}`);
}
