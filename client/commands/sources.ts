/** The display names of data sources, and the sources that a command can select with `--protocol`. */
import type { MarketdataTickerData } from '../sdk/index.ts';
import { type Conversion, currencyUnit } from './currency.ts';
import { clean, type Line, span } from './format/text.ts';
import { formatInstant, formatWait } from './format/time.ts';
import type { Provenance } from './provenance.ts';

export const protocols = ['coinpaprika'] as const;
export type Protocol = (typeof protocols)[number];
export const defaultProtocol: Protocol = 'coinpaprika';

/** The note has always given this figure; the plan's documents of 2026 say 20,000. */
export const freeRequestsPerMonth = 25_000;

const titles: ReadonlyMap<string, string> = new Map([
  ['coinpaprika', 'CoinPaprika'],
  ['binance', 'Binance'],
  ['coinbase', 'Coinbase'],
  ['defillama', 'DefiLlama'],
  ['ecb', 'The European Central Bank'],
  ['frankfurter', 'Frankfurter'],
  ['kraken', 'Kraken'],
]);

/** The display name of a source, such as `Kraken`; undefined if it is unknown here. */
export function titleOf(source: string): string | undefined {
  return titles.get(source);
}

/** The name of the provider behind the commands. */
export const providerTitle = titleOf(defaultProtocol) ?? defaultProtocol;

interface SourceContext {
  /** The candles' interval, which says what derived ones are made of; undefined: these are not candles. */
  readonly interval?: string;
  /** The conversion of the current prices shown with the source. */
  readonly conversion?: Conversion | undefined;
  readonly now: number;
}

/**
 * The sources, time and quality of a response: `One and Another, as of 12:03 UTC, provider unreachable`. Partly
 * simulated data is called simulated, and data that a cache returned after its lifetime is called out of date. The rate
 * of a currency comes last.
 */
export function sourceLine(provenance: Provenance, context: SourceContext): Line {
  const { quality, madeAt, outdatedMs } = provenance;
  const { interval, conversion, now } = context;
  const isExact = quality === 'exact' && interval !== undefined && outdatedMs === undefined;
  const first = [
    sourceText(provenance),
    madeAt !== undefined && `as of ${formatInstant(madeAt, now)}`,
    quality === 'stale' && 'provider unreachable',
    outdatedMs !== undefined &&
      `out of date, ${formatWait(Math.floor(outdatedMs / 1000))} old: the service returned nothing newer`,
  ];
  const others = [
    isExact && 'exact candles',
    quality === 'sampled' && 'folded from prices every ten minutes',
    quality === 'disputed' && 'disputed: exchanges differ by more than 10 %',
    quality === 'derived' && `${interval === '1h' ? 'hourly' : 'daily'} closes where no candles are known`,
    conversion && conversionText(conversion, now),
  ];
  return [first.filter(Boolean).join(', '), ...others.filter(Boolean).map((text) => `; ${text}`)].map(
    (text) => span(text),
  );
}

/** `3 of 3 exchanges agree within 0.14 %`. */
export function agreementText({
  agreeing,
  of,
  spreadPercent,
}: NonNullable<MarketdataTickerData['sources']>): string {
  const exchanges = of === 1 ? 'exchange agrees' : 'exchanges agree';
  return `${agreeing} of ${of} ${exchanges}${of > 1 ? ` within ${spreadPercent.toFixed(2)} %` : ''}`;
}

const list = new Intl.ListFormat('en-GB');

function sourceText({ sources, isSimulated }: Provenance): string {
  // `One`, `One and Another`, `One, Another and a Third`.
  const titles = sources.map((source) => titleOf(source) ?? clean(source));
  const names = list.format(titles.map((title, at) => (at > 0 ? title.replace(/^The /, 'the ') : title)));
  if (!isSimulated) return names || providerTitle;
  const simulated = 'simulated data, not real prices';
  return names ? `${names}, in part ${simulated}` : simulated;
}

/** `in EUR at the rate of 20 November (European Central Bank)`, and whether the rate is simulated or too old. */
export function conversionText({ currency, day, provenance }: Conversion, now: number): string {
  const names = provenance.sources.map((source) => (titleOf(source) ?? clean(source)).replace(/^The /, ''));
  return `in ${currencyUnit(currency)} at the rate of ${dayText(day, now)}${inBrackets([...names, ...doubtsOf(provenance)])}`;
}

/**
 * `in EUR, each at the rate of its time, the last at that of 20 November` for candles up to now: the sources of their rates
 * are among their own.
 */
export function pastConversionText(
  { currency, day, provenance }: Conversion,
  isCurrent: boolean,
  now: number,
): string {
  const last = isCurrent
    ? `, the last at that of ${dayText(day, now)}${inBrackets(doubtsOf(provenance))}`
    : '';
  return `in ${currencyUnit(currency)}, each at the rate of its time${last}`;
}

function doubtsOf({ isSimulated, quality, outdatedMs }: Provenance): string[] {
  return [
    ...(isSimulated ? ['simulated'] : []),
    ...(quality === 'stale' || outdatedMs !== undefined ? ['out of date: newer rates are missing'] : []),
  ];
}

function inBrackets(remarks: readonly string[]): string {
  return remarks.length > 0 ? ` (${remarks.join(', ')})` : '';
}

/** `20 November`, with the year if it is not the year of `now`. */
function dayText(day: string, now: number): string {
  const date = new Date(day);
  if (Number.isNaN(date.getTime())) return clean(day);
  const isThisYear = date.getUTCFullYear() === new Date(now).getUTCFullYear();
  return date.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
    ...(!isThisYear && { year: 'numeric' }),
  });
}
