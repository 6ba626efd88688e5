import { availableParallelism, cpus, loadavg, release, type } from 'node:os';

/** The conditions of a table of figures: machine, load, Node, date and command. */
export function conditions(command: string): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const date = new Date().toISOString().slice(0, 10);
  const [load = 0] = loadavg();
  const machine = `${model}, ${availableParallelism()} cores, load ${load.toFixed(1)}, ${type()} ${release()}`;
  return `${machine}, Node ${process.version}, ${date}, \`${command}\``;
}

/** The median of one figure over many runs. */
export function medianOf<Name extends string>(
  all: readonly Readonly<Record<Name, number>>[],
  name: Name,
): number {
  const sorted = all.map((figures) => figures[name]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A Markdown table; all columns except the first `texts` are numbers. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  texts = 1,
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const rule = titles.map((_, index) => (index < texts ? '---' : '--:'));
  return [line(titles), line(rule), ...rows.map(line)].join('\n');
}

export const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
