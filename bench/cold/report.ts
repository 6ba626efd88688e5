import type { ColdStart } from '../../test/cold-start.ts';
import { medianOf, table } from '../conditions.ts';
import type { ColdFigures, WarmFigures } from './containers.ts';
import { names } from './foundations.ts';

export interface Measured {
  readonly name: string;
  readonly memoryMb: number;
  readonly code: ColdStart;
  readonly cold: readonly ColdFigures[];
  /** Figures of warm calls, where they are timed. */
  readonly warm: readonly WarmFigures[];
}

interface Target {
  /** Init and first response together, as deployed. */
  readonly ms?: number;
  /** Loaded at init. */
  readonly kb?: number;
  /** The median of warm calls. */
  readonly warmMs?: number;
}

/** The largest accepted figures. */
const TARGETS: Readonly<Record<string, Target>> = {
  ticker: { ms: 75, kb: 70 },
  ohlcv: { ms: 100, kb: 80 },
  price: { ms: 150 },
  sparklines: { ms: 300 },
  'sparklines of 100 others': { ms: 300 },
  'ticker of the tail': { ms: 100 },
  'CoinGecko’s price of 100': { ms: 110, warmMs: 1 },
  'CoinGecko’s page of 250': { ms: 200, warmMs: 3 },
  'the same with sparklines': { warmMs: 15 },
};
const RATIOS = { first: { handWritten: 1.15, hono: 0.75 }, warm: { handWritten: 1.3 } } as const;

/** The functions as deployed, side by side, and whether they meet their targets. */
export function deployedReport(rows: readonly Measured[]): string {
  const together = ({ cold }: Measured) => medianOf(cold, 'initMs') + medianOf(cold, 'firstMs');
  const warmMs = ({ warm }: Measured) => medianOf(warm, 'p50Us') / 1000;
  const verdicts = rows.flatMap((row) => {
    const target = TARGETS[row.name];
    if (!target) return [];
    const kb = row.code.initBytes / 1000;
    return [
      ...(target.ms ? [verdict(`${row.name}, init and first answer, ms`, together(row), target.ms)] : []),
      ...(target.kb ? [verdict(`${row.name}, KB at init`, kb, target.kb)] : []),
      ...(target.warmMs ? [verdict(`${row.name}, a warm call, ms`, warmMs(row), target.warmMs)] : []),
    ];
  });
  const cells = rows.map((row) => [
    row.cold.some(({ isStale }) => isStale) ? `${row.name}, stale` : row.name,
    row.memoryMb,
    (row.code.initBytes / 1000).toFixed(1),
    medianOf(row.cold, 'initMs').toFixed(0),
    medianOf(row.cold, 'firstMs').toFixed(1),
    together(row).toFixed(0),
    medianOf(row.cold, 'firstCpuMs').toFixed(1),
    medianOf(row.cold, 'secondMs').toFixed(1),
    row.warm.length > 0 ? warmMs(row).toFixed(2) : '',
  ]);
  const titles = [
    'function',
    'MB',
    'KB at init',
    'init ms',
    'first ms',
    'together',
    'CPU of the first',
    'second ms',
    'warm p50 ms',
  ];
  return `${table(titles, cells)}\n\n${verdicts.join('\n')}`;
}

/** The same endpoint on several foundations, and how ours compares. */
export function foundationsReport(rows: readonly Measured[]): string {
  const of = (name: string) => {
    const row = rows.find((one) => one.name === name);
    if (!row) throw new Error(`${name} was not measured`);
    return row;
  };
  const ours = of(names.ours);
  const handWritten = of(names.handWritten);
  const hono = of(names.hono);
  const first = ({ cold }: Measured) => medianOf(cold, 'firstAnswerMs');
  const p50 = ({ warm }: Measured) => medianOf(warm, 'p50Us');
  const cells = rows.map((row) => [
    row.name,
    (row.code.initBytes / 1000).toFixed(1),
    medianOf(row.cold, 'initMs').toFixed(1),
    first(row).toFixed(1),
    medianOf(row.cold, 'processCpuMs').toFixed(1),
    p50(row).toFixed(1),
    medianOf(row.warm, 'p99Us').toFixed(1),
    (medianOf(row.cold, 'rssBytes') / 1e6).toFixed(1),
  ]);
  return `${table(
    ['handler', 'KB at init', 'init ms', 'first answer ms', 'CPU ms', 'warm p50 µs', 'warm p99 µs', 'RSS MB'],
    cells,
  )}

${verdict('first answer ÷ hand-written', first(ours) / first(handWritten), RATIOS.first.handWritten)}
${verdict('first answer ÷ Hono', first(ours) / first(hono), RATIOS.first.hono)}
${verdict('warm p50 ÷ hand-written', p50(ours) / p50(handWritten), RATIOS.warm.handWritten)}`;
}

/** Our own function's figures, from which docs/cost.md is computed. */
export function ownFigures(rows: readonly Measured[]): object {
  const ours = rows.find(({ name }) => name === names.ours);
  if (!ours) throw new Error(`${names.ours} was not measured`);
  return { cpuMs: medianOf(ours.cold, 'processCpuMs'), p50Us: medianOf(ours.warm, 'p50Us') };
}

function verdict(what: string, figure: number, most: number): string {
  const text = Number(figure.toFixed(2));
  return `- ${figure <= most ? 'reached' : 'MISSED '}: ${what} ${text} (at most ${most})`;
}
