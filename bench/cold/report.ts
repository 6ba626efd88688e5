import { prices } from '../cost/prices.ts';
import type { ColdFigures } from './containers.ts';

export interface Row extends ColdFigures {
  readonly name: string;
  readonly memoryMb: number;
}

/** The contestants that the verdicts are about, at the memory that the targets name. */
const TARGETS: readonly (readonly [name: string, most: number, mostFirst: number])[] = [
  ['ticker', 100, 10],
  ['ohlcv', 120, Number.POSITIVE_INFINITY],
  ['search', 120, Number.POSITIVE_INFINITY],
];
const TARGET_MB = 256;
/** Of a hundred requests, those that begin a container: a small service, for which memory matters most. */
const COLD_PERCENT = 1;

/** Markdown: the contestants side by side, with what the function costs, and the targets. */
export function report(rows: readonly Row[]): string {
  const cells = rows.map(({ name, memoryMb, initMs, firstMs, firstCpuMs, secondMs, isStale }) => [
    isStale ? `${name}, stale` : name,
    String(memoryMb),
    initMs.toFixed(0),
    firstMs.toFixed(firstMs < 10 ? 1 : 0),
    (initMs + firstMs).toFixed(0),
    firstCpuMs.toFixed(1),
    secondMs.toFixed(1),
    dollarsPerMillion(memoryMb, initMs + firstMs, secondMs).toFixed(2),
  ]);
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  return [
    line([
      'function',
      'MB',
      'init ms',
      'first ms',
      'together',
      'CPU of the first, ms',
      'second ms',
      '$ a million',
    ]),
    line(['---', '--:', '--:', '--:', '--:', '--:', '--:', '--:']),
    ...cells.map(line),
    '',
    ...verdicts(rows),
  ].join('\n');
}

/** Lambda's part, with its price for each request; time is billed by the millisecond, init included. */
function dollarsPerMillion(memoryMb: number, coldMs: number, warmMs: number): number {
  const ms = (COLD_PERCENT / 100) * Math.ceil(coldMs) + (1 - COLD_PERCENT / 100) * Math.ceil(warmMs);
  return prices.lambdaPerMillion + ((ms * 1_000_000) / 1000) * (memoryMb / 1024) * prices.lambdaPerGbSecond;
}

function verdicts(rows: readonly Row[]): string[] {
  return TARGETS.flatMap(([wanted, most, mostFirst]) => {
    const row = rows.find(({ name, memoryMb }) => name === wanted && memoryMb === TARGET_MB);
    if (!row) return [];
    const together = row.initMs + row.firstMs;
    const reached = together <= most && row.firstMs <= mostFirst;
    const ofFirst = Number.isFinite(mostFirst)
      ? `, of which the first ${row.firstMs.toFixed(1)} (${mostFirst})`
      : '';
    return [
      `- ${reached ? 'reached' : 'MISSED '}: ${wanted} at ${TARGET_MB} MB, init and first answer ${together.toFixed(0)} ms (at most ${most})${ofFirst}`,
    ];
  });
}
