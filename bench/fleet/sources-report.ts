/** The figures of a fleet whose jobs ask other sources too, and the targets that they are measured by. */
import { A_DAY, type Outcome } from './scenario.ts';
import { known, percentile, type Tally } from './tally.ts';

export interface Named extends Outcome {
  readonly name: string;
  /** Whether CoinPaprika was silent all day. */
  readonly isOutage: boolean;
}

const kinds: Readonly<Record<string, string>> = { ticker: 'tickers', ohlcv: 'charts' };
const coins: Readonly<Record<string, string>> = {
  mapped: 'with a market at an exchange',
  listed: 'others of the snapshot',
  token: 'tokens that are not in it',
  active: 'others still traded',
  inactive: 'no longer traded',
};
const integer = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const percent = (part: number, whole: number) =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(2)} %`;

/** Tables and targets, in Markdown. */
export function sourcesReport(outcomes: readonly Named[]): string {
  return [...answersTable(outcomes), '', ...requestsTable(outcomes), '', ...targets(outcomes)].join('\n');
}

function answersTable(outcomes: readonly Named[]): string[] {
  const lines = outcomes.flatMap(({ name, byGroup }) =>
    Object.keys(coins).flatMap((of) =>
      Object.keys(kinds).flatMap((kind) => {
        const tally = byGroup[`${of} ${kind}`];
        if (!tally) return [];
        const all = known(tally) + tally.unknown;
        const { fresh, stale, refused, unknown, failed, exact, charts } = tally;
        const shares = [fresh, stale, refused, unknown, failed].map((share) => percent(share, all));
        return [
          [name, `${kinds[kind]}, ${coins[of]}`, integer.format(all), ...shares, percent(exact, charts)],
        ];
      }),
    ),
  );
  return table(
    'when | who asks for what | requests | fresh | stale | 429 | 404 | 502, 504 | exact',
    '--- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---:',
    lines,
  );
}

function requestsTable(outcomes: readonly Named[]): string[] {
  const names = [...new Set(outcomes.flatMap(({ asked }) => Object.keys(asked)))];
  const lines = outcomes.map(
    ({ name, upstream, worstDay, isOverBudget, left, mapped, priced, asked, tooMany }) => [
      name,
      upstream,
      worstDay,
      isOverBudget ? '**yes**' : 'no',
      ...names.map((source) => integer.format(asked[source] ?? 0)),
      Object.values(tooMany).reduce((sum, count) => sum + count, 0),
      ...[mapped, priced, left ?? 0].map((count) => integer.format(count)),
    ],
  );
  return table(
    `when | CoinPaprika that day | most in a day | over budget | ${names.join(' | ')} | too many, they say | coins with a market | in the tail | never asked for`,
    `--- | ---: | ---: | --- | ${names.map(() => '---:').join(' | ')} | ---: | ---: | ---: | ---:`,
    lines,
  );
}

function targets(outcomes: readonly Named[]): string[] {
  const lines = outcomes.flatMap((outcome) => (outcome.isOutage ? ofOutage(outcome) : ofDay(outcome)));
  return table(
    'when | target | to reach | measured | reached',
    '--- | --- | --- | --- | ---',
    lines.map(([name, target, reach, measured, isReached]) => [
      name,
      target,
      reach,
      measured,
      isReached ? 'yes' : '**no**',
    ]),
  );
}

type Target = readonly [name: string, target: string, reach: string, measured: string, isReached: boolean];

function ofDay({ name, exact, charts, badWicks, byGroup, publishedAges, upstream }: Named): Target[] {
  const active = sumOf(byGroup, (of) => of !== 'inactive');
  const age = percentile(publishedAges, 0.99);
  const refused = active.refused / active.all;
  return [
    [name, 'requests for candles answered `exact`', '≥ 60 %', percent(exact, charts), exact / charts >= 0.6],
    [name, 'candles whose wick leaves out their own open or close', '0', String(badWicks), badWicks === 0],
    [
      name,
      'requests for coins that are traded: refused',
      '≤ 3 %',
      percent(active.refused, active.all),
      refused <= 0.03,
    ],
    [name, 'age of tickers in snapshot or tail, p99', '≤ 1,200 s', `${integer.format(age)} s`, age <= 1200],
    [name, 'requests to CoinPaprika that day', `≤ ${A_DAY}`, String(upstream), upstream <= A_DAY],
  ];
}

function ofOutage({ name, byGroup, badWicks, upstream }: Named): Target[] {
  const mapped = sumOf(byGroup, (of) => of === 'mapped');
  return [
    [
      name,
      'requests for coins with a market: fresh',
      '≥ 99.9 %',
      percent(mapped.fresh, mapped.all),
      mapped.fresh / mapped.all >= 0.999,
    ],
    [name, 'candles whose wick leaves out their own open or close', '0', String(badWicks), badWicks === 0],
    [name, 'requests to CoinPaprika that day', `≤ ${A_DAY}`, String(upstream), upstream <= A_DAY],
  ];
}

function sumOf(byGroup: Readonly<Record<string, Tally>>, isWanted: (of: string) => boolean) {
  const tallies = Object.entries(byGroup).flatMap(([group, tally]) =>
    isWanted(group.split(' ')[0] ?? '') ? [tally] : [],
  );
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0);
  return {
    all: sum((tally) => known(tally) + tally.unknown),
    fresh: sum(({ fresh }) => fresh),
    refused: sum(({ refused }) => refused),
  };
}

function table(head: string, rule: string, lines: readonly (readonly (string | number)[])[]): string[] {
  return [head, rule, ...lines.map((line) => line.join(' | '))].map((line) => `| ${line} |`);
}
