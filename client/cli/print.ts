import { resultLines } from '../commands/format/result.ts';
import { type Line, span, wrapLines } from '../commands/format/text.ts';
import { csvText, type DataResult, errorOf, jsonOf, recordsOf } from '../commands/output.ts';
import type { Provenance } from '../commands/provenance.ts';
import type { FailureReason, FailureResult, Result } from '../commands/result.ts';
import { sourceLine } from '../commands/sources.ts';
import { terminalText } from './ansi.ts';
import { hasCard, priceCard } from './card.ts';
import { drawChart } from './chart/chart.ts';
import { ownOverview, settingsLines } from './own-commands.ts';
import { whereToStart } from './serve.ts';
import type { OutputFormat, Settings } from './settings.ts';
import { chartRowsOf, chartWidthOf, hasColour, type Terminal, widthOf, wrapWidthOf } from './terminal.ts';

type Target = Pick<Settings, 'format' | 'baseUrl'>;

/** 4 means that the same command may succeed later, so that scripts can tell a wrong symbol (3) from an outage. */
const exitCodes: Readonly<Record<FailureReason, number>> = {
  failed: 1,
  unauthorized: 1,
  usage: 2,
  'not-found': 3,
  'rate-limited': 4,
  unavailable: 4,
};

/**
 * Data and help on stdout, failures and remarks on stderr; where the output is JSON, a failure is the data. Returns the exit
 * status.
 */
export function print(result: Result, target: Target, terminal: Terminal): number {
  const { format, baseUrl } = target;
  if (result.kind === 'failure') {
    const hint = result.isUnreachable && !result.isOffline ? [[span(whereToStart(baseUrl, terminal))]] : [];
    printFailure({ ...result, lines: [...result.lines, ...hint] }, format, terminal);
    return exitCodes[result.reason];
  }
  if (format === 'table' || result.kind === 'help') {
    printLines(result, terminal);
  } else {
    printData(result, format, terminal);
  }
  if (result.kind === 'price') return Math.max(0, ...result.missing.map(({ reason }) => exitCodes[reason]));
  return result.kind === 'search' && result.data.results.length === 0 ? exitCodes['not-found'] : 0;
}

function printFailure(failure: FailureResult, format: OutputFormat, { stdout, stderr, env }: Terminal): void {
  if (format === 'json') {
    stdout.write(`${JSON.stringify(errorOf(failure), null, 2)}\n`);
  } else if (format === 'ndjson') {
    stdout.write(`${JSON.stringify(errorOf(failure))}\n`);
  } else {
    const lines = resultLines(failure, { width: widthOf(stderr), now: Date.now() });
    stderr.write(terminalText(lines, hasColour(stderr, env), wrapWidthOf(stderr)));
  }
}

function printLines(result: Exclude<Result, FailureResult>, terminal: Terminal): void {
  const { stdout, env, isPrompt } = terminal;
  const now = Date.now();
  // The rows of a list are whole in a pipe, whatever their width.
  const width = result.kind === 'search' ? wrapWidthOf(stdout) : widthOf(stdout);
  const chartWidth = chartWidthOf(stdout);
  const colour = hasColour(stdout, env);
  const [priced] = result.kind === 'price' && result.missing.length === 0 ? result.prices : [];
  if (
    result.kind === 'price' &&
    priced &&
    result.prices.length === 1 &&
    hasCard({ format: 'table' }, terminal)
  ) {
    stdout.write(terminalText(priceCard(priced, result, { width, now }), colour, wrapWidthOf(stdout)));
    return;
  }
  const others = wrapLines(resultLines(result, { width, now }), wrapWidthOf(stdout));
  const rows = chartRowsOf(stdout, others.length);
  const lines = resultLines(result, {
    width,
    now,
    draw: () =>
      result.kind === 'chart' ? drawChart(result, { width: chartWidth, rows, hasColour: colour > 0 }) : [],
  });
  stdout.write(terminalText(lines, colour, Math.max(chartWidth, wrapWidthOf(stdout))));
  if (result.kind !== 'help') return;
  const more = [...(result.topic ? [] : [...ownOverview(width, isPrompt), []]), ...settingsLines(width)];
  stdout.write(`\n${terminalText(more, colour, wrapWidthOf(stdout))}`);
}

function printData(result: DataResult, format: Exclude<OutputFormat, 'table'>, terminal: Terminal): void {
  const { stdout, stderr, env } = terminal;
  if (format === 'json') {
    stdout.write(`${JSON.stringify(jsonOf(result), null, 2)}\n`);
  } else {
    const table = recordsOf(result);
    stdout.write(
      format === 'csv'
        ? csvText(table)
        : table.records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
    for (const failure of result.kind === 'price' ? result.missing : [])
      printFailure(failure, format, terminal);
  }
  stderr.write(terminalText(remarks(result, Date.now()), hasColour(stderr, env), wrapWidthOf(stderr)));
}

/** With data for programs on stdout, these remarks about the prices go to stderr. */
function remarks(result: DataResult, now: number): Line[] {
  const conversion = 'conversion' in result ? result.conversion : undefined;
  const all =
    result.kind === 'price'
      ? result.prices.map((priced) => priced.provenance)
      : [result, ...(result.kind === 'chart' ? result.compared : [])].map((each) => each.provenance);
  const provenance =
    all.find(isDoubtful) ?? (conversion && isDoubtful(conversion.provenance) ? all[0] : undefined);
  if (!provenance) return [];
  const interval = result.kind === 'chart' ? { interval: result.data.interval } : {};
  return [[span('Note: ', 'muted'), ...sourceLine(provenance, { now, conversion, ...interval })]];
}

function isDoubtful({ quality, isSimulated, outdatedMs }: Provenance): boolean {
  return quality !== 'exact' || isSimulated || outdatedMs !== undefined;
}
