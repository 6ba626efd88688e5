import { queryKinds, type TestQuery, typoKinds } from '../../test/registry/queries.ts';
import { type EngineName, engineNames } from './engines.ts';
import type { Figures } from './measure.ts';

/** Everything that was measured on one list. */
export interface Results {
  readonly entries: number;
  readonly indexBytes: number;
  readonly readMs: number;
  readonly figures: Readonly<Record<EngineName, Figures>>;
  readonly queries: readonly TestQuery[];
  /** For each query the place of the right answer, -1 when it is not among the first five; slow engines have fewer. */
  readonly places: Readonly<Record<EngineName, readonly number[]>>;
}

const ms = (value: number): string => value.toFixed(value < 1 ? 3 : value < 10 ? 2 : 0);
const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);
const thousands = (perSecond: number): string => `${Math.round(perSecond / 1000)}k`;

const columns: readonly (readonly [title: string, show: (figures: Figures) => string])[] = [
  ['load ms', ({ loadMs }) => ms(loadMs)],
  ['heap MB', ({ heapBytes }) => mb(heapBytes)],
  ['RSS MB', ({ rssBytes }) => mb(rssBytes)],
  ['first look-up ms', ({ firstLookupMs }) => ms(firstLookupMs)],
  ['ids / s', ({ idsPerSecond }) => thousands(idsPerSecond)],
  ['symbols / s', ({ symbolsPerSecond }) => thousands(symbolsPerSecond)],
  ['first query ms', ({ firstQueryMs }) => ms(firstQueryMs)],
  ['p50 ms', ({ p50Ms }) => ms(p50Ms)],
  ['p99 ms', ({ p99Ms }) => ms(p99Ms)],
  ['max ms', ({ maxMs }) => ms(maxMs)],
  ['worst input ms', ({ worstMs }) => ms(worstMs)],
];

export function figuresTable({ figures }: Results): string {
  return table(
    ['', ...columns.map(([title]) => title)],
    engineNames.map((name) => [name, ...columns.map(([, show]) => show(figures[name]))]),
  );
}

/** Share of the right answers that are first / among five, in percent, by the kind of query. */
export function qualityTable({ queries, places }: Results): string {
  const row = (title: string, isCounted: (query: TestQuery) => boolean): string[] => [
    title,
    String(queries.filter(isCounted).length),
    ...engineNames.map((name) => {
      const [first, five] = shares(places[name], queries, isCounted);
      return `${percent(first)} / ${percent(five)}`;
    }),
  ];
  return table(
    ['first / among five, %', 'queries', ...engineNames],
    [
      ...queryKinds.map((kind) => row(kind, (query) => query.kind === kind)),
      row('all', () => true),
      ['queries in 60 s', '', ...engineNames.map((name) => String(places[name].length))],
    ],
  );
}

function shares(
  places: readonly number[],
  queries: readonly TestQuery[],
  isCounted: (query: TestQuery) => boolean,
): [first: number, five: number] {
  const counted = places.filter((_, index) => {
    const query = queries[index];
    return query !== undefined && isCounted(query);
  });
  return [
    counted.filter((place) => place === 0).length / counted.length,
    counted.filter((place) => place >= 0).length / counted.length,
  ];
}

const percent = (share: number): string => (share * 100).toFixed(1);

/** The targets of the registry beside what was measured. */
export function targetsTable({ figures, readMs, indexBytes, queries, places }: Results): string {
  const { registry: own, 'JSON.parse + Maps': parsed, ...libraries } = figures;
  const [first, five] = shares(places.registry, queries, () => true);
  const [typos] = shares(places.registry, queries, ({ kind }) => typoKinds.includes(kind));
  const others = Object.keys(libraries) as EngineName[];
  const beaten = others.filter(
    (name) => figures[name].p50Ms > own.p50Ms && shares(places[name], queries, () => true)[0] < first,
  );
  const line = (what: string, target: string, found: string, isReached: boolean) => [
    what,
    target,
    found,
    isReached ? 'yes' : 'no',
  ];
  return table(
    ['target', 'to reach', 'measured', 'reached'],
    [
      line('index', '≤ 8 MB', `${mb(indexBytes)} MB`, indexBytes <= 8e6),
      line(
        'load, of JSON.parse + Maps',
        '≤ 1/20',
        `1/${(parsed.loadMs / own.loadMs).toFixed(1)}`,
        own.loadMs * 20 <= parsed.loadMs,
      ),
      line(
        'load, above a bare read',
        '≤ 1 ms',
        `${ms(own.loadMs - readMs)} ms (read ${ms(readMs)})`,
        own.loadMs - readMs <= 1,
      ),
      line('heap growth', '≤ 1 MB', `${mb(own.heapBytes)} MB`, own.heapBytes <= 1e6),
      line('ids a second', '≥ 500k', thousands(own.idsPerSecond), own.idsPerSecond >= 5e5),
      line('symbols a second', '≥ 500k', thousands(own.symbolsPerSecond), own.symbolsPerSecond >= 5e5),
      line('first look-up', '≤ 0.5 ms', `${ms(own.firstLookupMs)} ms`, own.firstLookupMs <= 0.5),
      line('query p50', '≤ 0.3 ms', `${ms(own.p50Ms)} ms`, own.p50Ms <= 0.3),
      line('query p99', '≤ 1 ms', `${ms(own.p99Ms)} ms`, own.p99Ms <= 1),
      line('first query', '≤ 15 ms', `${ms(own.firstQueryMs)} ms`, own.firstQueryMs <= 15),
      line('worst input of 100 characters', '≤ 5 ms', `${ms(own.worstMs)} ms`, own.worstMs <= 5),
      line('right answer first', '≥ 98 %', `${percent(first)} %`, first >= 0.98),
      line('right answer among five', '≥ 99.5 %', `${percent(five)} %`, five >= 0.995),
      line('right answer first, one error', '≥ 97 %', `${percent(typos)} %`, typos >= 0.97),
      line(
        'libraries both slower and worse',
        `${others.length}`,
        beaten.join(', '),
        beaten.length === others.length,
      ),
    ],
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
