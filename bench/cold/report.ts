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

/** Markdown: the contestants side by side, with what the function costs, and the targets. */
export function report(rows: readonly Row[]): string {
  const cells = rows.map(({ name, memoryMb, initMs, firstMs, firstCpuMs, secondMs }) => [
    name,
    String(memoryMb),
    initMs.toFixed(0),
    firstMs.toFixed(firstMs < 10 ? 1 : 0),
    (initMs + firstMs).toFixed(0),
    firstCpuMs.toFixed(1),
    secondMs.toFixed(1),
  ]);
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  return [
    line(['function', 'MB', 'init ms', 'first ms', 'together', 'CPU of the first, ms', 'second ms']),
    line(['---', '--:', '--:', '--:', '--:', '--:', '--:']),
    ...cells.map(line),
    '',
    ...verdicts(rows),
  ].join('\n');
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
