import type { ColdStart } from '../../test/cold-start.ts';
import type { Figures } from './measurement.ts';
import { OURS, type Variant } from './variants.ts';

export interface Row extends Figures, ColdStart {
  readonly variant: Variant;
}

/** The variants side by side as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const columns: readonly [string, (row: Row) => string][] = [
    ['variant', ({ variant }) => variant.name],
    ['KB at init', ({ initBytes }) => kilobytes(initBytes)],
    ['KB in all', ({ totalBytes }) => kilobytes(totalBytes)],
    ['init ms', ({ initMs }) => initMs.toFixed(1)],
    ['first answer ms', ({ firstAnswerMs }) => firstAnswerMs.toFixed(1)],
    ['CPU ms', ({ cpuMs }) => cpuMs.toFixed(1)],
    ['warm p50 µs', ({ p50Us }) => p50Us.toFixed(1)],
    ['warm p99 µs', ({ p99Us }) => p99Us.toFixed(1)],
    ['RSS MB', ({ rssBytes }) => (rssBytes / 1e6).toFixed(1)],
    ['what it is', ({ variant }) => variant.does],
  ];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(([title]) => title)),
    line(columns.map(([title]) => (title === 'variant' || title === 'what it is' ? '---' : '--:'))),
    ...rows.map((row) => line(columns.map(([, cell]) => cell(row)))),
  ].join('\n');
}

/** The goals of this project, with what was measured. */
export function verdicts(
  rows: readonly Row[],
  bundles: readonly (ColdStart & { readonly id: string })[],
): string {
  const row = (name: string) => {
    const found = rows.find(({ variant }) => variant.name === name);
    if (!found) throw new Error(`No variant ${name}`);
    return found;
  };
  const ours = row(OURS);
  const hono = row('Hono');
  const ofMarketData = bundles.filter(({ id }) => id.startsWith('marketdata-'));
  const largest = Math.max(...ofMarketData.map(({ initBytes }) => initBytes));
  const list: readonly [string, number, number][] = [
    ['first answer ÷ hand-written', ours.firstAnswerMs / row('Hand-written').firstAnswerMs, 1.15],
    ['first answer ÷ Hono', ours.firstAnswerMs / hono.firstAnswerMs, 0.7],
    ['warm p50 ÷ hand-written', ours.p50Us / row('Hand-written').p50Us, 1.3],
    ['warm p50 ÷ Hono', ours.p50Us / hono.p50Us, 0.3],
    ['largest market-data bundle at init, KB', largest / 1e3, 60],
    ['bundles that load undici at init', bundles.filter(({ loadsUndici }) => loadsUndici).length, 0],
  ];
  return list
    .map(
      ([what, figure, most]) =>
        `- ${figure <= most ? 'reached' : 'MISSED '}: ${what} ${round(figure)} (at most ${round(most)})`,
    )
    .join('\n');
}

function kilobytes(bytes: number): string {
  return (bytes / 1e3).toFixed(1);
}

function round(figure: number): string {
  return String(Number(figure.toFixed(2)));
}
