import { FIRST_DAY, isWeekend, mustAgree } from '../../../../shared/marketdata/gate/rates.ts';
import {
  type PastTable,
  pastRatesName,
  pastRatesText,
  RECENT,
  rateGroups,
  readPastRates,
  type SourcedRates,
} from '../../../../shared/marketdata/past-rates.ts';
import type { DayRates, PastRatesQuery } from '../../../../shared/marketdata/provider.ts';
import {
  dayOfRate,
  type EuroRates,
  ratesLastUntil,
  sourceOfRate,
} from '../../../../shared/marketdata/rates.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import { replacing, retryOnConflict } from '../../../../shared/platform/objects.ts';
import { type Bucket, openFrom } from '../../../../shared/platform/stored-object.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';

/** A source that has just given the latest rates. */
export interface PastSource {
  /** Its name in the rates. */
  readonly source: string;
  /** The currencies that it has. */
  readonly codes: ReadonlySet<string>;
  /** The rates of past days; without a query those of all days. */
  fetch(query?: PastRatesQuery): Promise<readonly DayRates[]>;
}

/** Undefined: one that has just failed. */
export interface PastSources {
  readonly reference: PastSource | undefined;
  readonly blend: PastSource | undefined;
}

/** The days from which changes are computed: one of a month looks back to the last working day before it. */
const RECENT_DAYS = 35;
const YEAR = { days: 365, around: 8 };

/**
 * Adds the published rates to those of past days. A source's rates enter a group only together with its past: all groups get the
 * reference rates from one request; then, one group after another until `deadline`, the blended rates of days that have no other.
 * What is missing is fetched by a later run, after a gap from the last stored day on. Returns why something is missing.
 */
export async function addToPast(
  published: EuroRates,
  { reference, blend }: PastSources,
  bucket: Bucket,
  deadline: number,
): Promise<string | undefined> {
  const problems = new Set<string>();
  const newest = [published.day, ...Object.values(published.days ?? {})].sort().at(-1) ?? '';
  const recent = new Map<string, readonly SourcedRates[]>();
  const lacking: Lacking[] = [];
  let whole: Promise<readonly DayRates[]> | undefined;

  async function update(group: string, change: Change): Promise<void> {
    const days = await replaceTable(bucket, group, change);
    recent.set(
      group,
      days.filter(({ day }) => isRecent(day, newest)),
    );
  }

  async function withReference(table: PastTable, codes: readonly string[]): Promise<PastTable> {
    if (!reference) return table;
    const latest = latestOf(published, reference, codes);
    if (missingFrom(table, reference, codes, latest) === undefined) return withDays(table, latest);
    try {
      whole ??= reference.fetch();
      const past = (await whole).map((one) => sourced(one, reference, codes));
      const columns = [...table.columns, ...columnsOf(reference, codes)];
      return { columns, days: [...past, ...table.days, ...latest] };
    } catch (error) {
      problems.add(messageOf(error));
      return table;
    }
  }

  async function fill({ group, codes, from }: Lacking, source: PastSource): Promise<void> {
    const past = await source.fetch({ from, quotes: codes.filter((code) => source.codes.has(code)) });
    await update(group, (table) => {
      mustAgree(dollarsIn(past), dollarsIn(table.days), `The past rates of ${group}`);
      const added = withoutKnown(past, table).map((one) => sourced(one, source, codes));
      const columns = [...table.columns, ...columnsOf(source, codes)];
      return { columns, days: [...table.days, ...added, ...latestOf(published, source, codes)] };
    });
  }

  for (const [group, members] of rateGroups) {
    const codes = [...new Set(['USD', ...members])];
    let from: string | undefined;
    await update(group, async (stored) => {
      const table = await withReference(stored, codes);
      if (!blend) return table;
      const latest = latestOf(published, blend, codes);
      from = missingFrom(table, blend, codes, latest);
      return from === undefined ? withDays(table, latest) : table;
    });
    if (from !== undefined) lacking.push({ group, codes, from });
  }
  const putRecent = () =>
    replaceTable(bucket, RECENT, () => ({ columns: [], days: [...recent.values()].flat() }));
  await putRecent();
  if (!blend || lacking.length === 0) return textOf(problems);

  for (const [index, one] of lacking.entries()) {
    if (Date.now() >= deadline) {
      problems.add(`${lacking.length - index} groups of past rates are left for the next run`);
      break;
    }
    await fill(one, blend).catch((error: unknown) => problems.add(messageOf(error)));
  }
  await putRecent();
  return textOf(problems);
}

/** A group whose blended rates are missing from a day on. */
interface Lacking {
  readonly group: string;
  readonly codes: readonly string[];
  readonly from: string;
}

type Change = (table: PastTable) => PastTable | Promise<PastTable>;

/** Puts an object if it has changed, with its working days alone; returns its days. */
function replaceTable(bucket: Bucket, group: string, change: Change): Promise<readonly SourcedRates[]> {
  const name = pastRatesName(group);
  return retryOnConflict(async () => {
    const { content, bytes, etag } = await openFrom(bucket)(name, (opened) =>
      readPastRates(Buffer.from(opened).toString()),
    );
    const stored = content ?? { columns: [], days: [] };
    const changed = await change(stored);
    if (changed === stored) return stored.days;
    const days = changed.days.filter(({ day }) => day >= FIRST_DAY && !isWeekend(day));
    const written = pastRatesText(days, changed.columns);
    const isSame = content !== undefined && Buffer.from(written).equals(bytes ?? Buffer.of());
    if (!isSame) await bucket.put(name, written, 'text/csv', replacing(etag));
    return days;
  });
}

/** The first day from which a source's rates have to be fetched; undefined if none are missing. */
function missingFrom(
  { columns, days }: PastTable,
  source: PastSource,
  codes: readonly string[],
  latest: readonly SourcedRates[],
): string | undefined {
  const known = new Set(columns);
  if (!columnsOf(source, codes).every((column) => known.has(column))) return FIRST_DAY;
  const last = newestOf(days.filter((one) => one.source === source.source));
  if (last === '') return undefined; // it had none so far
  return Date.parse(newestOf(latest)) >= ratesLastUntil(last) ? last : undefined;
}

/** A column exists even without a rate, once its past was fetched. */
function columnsOf({ source, codes: offered }: PastSource, codes: readonly string[]): string[] {
  return codes.filter((code) => offered.has(code)).map((code) => `${code}@${source}`);
}

function sourced({ day, rates }: DayRates, { source, codes: offered }: PastSource, codes: readonly string[]) {
  const wanted = codes.filter((code) => offered.has(code) && rates[code] !== undefined);
  return { day, source, rates: Object.fromEntries(wanted.map((code) => [code, rates[code] ?? ''])) };
}

/** The published rates of a source, each on its own day. */
function latestOf(published: EuroRates, source: PastSource, codes: readonly string[]): SourcedRates[] {
  const ofSource = codes.filter(
    (code) => published.rates[code] !== undefined && sourceOfRate(published, code) === source.source,
  );
  const byDay = Map.groupBy(ofSource, (code) => dayOfRate(published, code));
  return [...byDay]
    .map(([day, ofDay]) => sourced({ ...published, day }, source, ofDay))
    .filter(({ day, rates }) => !isWeekend(day) && Object.keys(rates).length > 0);
}

/** With rates that may be known; the table itself if all are. */
function withDays(table: PastTable, days: readonly SourcedRates[]): PastTable {
  const isKnown = ({ day, source, rates }: SourcedRates) => {
    const known = table.days.findLast((one) => one.day === day && one.source === source);
    return Object.entries(rates).every(([code, rate]) => known?.rates[code] === rate);
  };
  return days.every(isKnown) ? table : { ...table, days: [...table.days, ...days] };
}

/** Without rates of days on which another source has one. */
function withoutKnown(days: readonly DayRates[], table: PastTable): DayRates[] {
  const known = new Map<string, Set<string>>();
  for (const { day, rates } of table.days) {
    const codes = known.get(day) ?? new Set<string>();
    known.set(day, codes);
    for (const code of Object.keys(rates)) codes.add(code);
  }
  return days.map(({ day, rates }) => {
    const isKnown = (code: string) => known.get(day)?.has(code) === true;
    return { day, rates: Object.fromEntries(Object.entries(rates).filter(([code]) => !isKnown(code))) };
  });
}

/** The dollar's rates, by day. */
function dollarsIn(days: readonly Pick<DayRates, 'day' | 'rates'>[]): Record<string, string> {
  return Object.fromEntries(days.flatMap(({ day, rates }) => (rates.USD ? [[day, rates.USD]] : [])));
}

function newestOf(days: readonly Pick<DayRates, 'day'>[]): string {
  return days.reduce((newest, { day }) => (day > newest ? day : newest), '');
}

function isRecent(day: string, newest: string): boolean {
  const age = (Date.parse(newest) - Date.parse(day)) / DAY_MS;
  return age <= RECENT_DAYS || Math.abs(age - YEAR.days) <= YEAR.around;
}

function textOf(problems: ReadonlySet<string>): string | undefined {
  return problems.size > 0 ? [...problems].join('; ') : undefined;
}
