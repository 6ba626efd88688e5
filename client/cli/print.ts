import { resultLines } from '../commands/format/result.ts';
import { type Line, span } from '../commands/format/text.ts';
import { wrapLines } from '../commands/format/width.ts';
import { csvText, type DataResult, errorOf, jsonOf, recordsOf } from '../commands/output.ts';
import type { ParsedLine } from '../commands/parse/parse.ts';
import type { Provenance } from '../commands/provenance.ts';
import type { FailureReason, FailureResult, Result } from '../commands/result.ts';
import { chartOrigin, shownChart } from '../commands/shown-chart.ts';
import { sourceLine } from '../commands/sources.ts';
import { terminalText, textFor } from './ansi.ts';
import { priceCard } from './card.ts';
import { drawChart } from './chart/chart.ts';
import { ownOverview, settingsLines } from './own-commands.ts';
import { whereToStart } from './serve.ts';
import type { Session } from './session.ts';
import type { OutputFormat, Settings } from './settings.ts';
import {
  canDraw,
  chartWidthOf,
  hasColour,
  type Terminal,
  type Window,
  widthOf,
  wrapWidthOf,
} from './terminal.ts';
import type { ListResult } from './watch/list.ts';
import { listJson, listLines, listRecords } from './watch/list-format.ts';

/** The results of the shared commands, and the terminal's own list. */
export type Printable = Result | ListResult;

/** Runs a terminal command; returns the exit status or the result to print. Throws UsageError and ConfigError. */
export type RunOwn = (
  line: Pick<ParsedLine, 'positional' | 'values'>,
  session: Session,
  terminal: Terminal,
) => number | Printable | Promise<number | Printable>;

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit status. */
  readonly status: number;
}

/** 4 means that the same command may succeed later, so scripts can distinguish a wrong symbol (3) from an outage. */
const exitCodes: Readonly<Record<FailureReason, number>> = {
  failed: 1,
  unauthorized: 1,
  usage: 2,
  'not-found': 3,
  'rate-limited': 4,
  unavailable: 4,
};
const PIPE_ROWS = 24;

/** Prints a result and returns the exit status. */
export function print(result: Printable, settings: Pick<Settings, 'format' | 'baseUrl'>, terminal: Terminal) {
  const { stdout, stderr, status } = printed(result, settings, terminal);
  if (stdout) terminal.stdout.write(stdout);
  if (stderr) terminal.stderr.write(stderr);
  return status;
}

/** Data and help go to stdout, failures and remarks to stderr; with JSON output, a failure is data. */
export function printed(
  result: Printable,
  { format, baseUrl }: Pick<Settings, 'format' | 'baseUrl'>,
  terminal: Terminal,
): Printed {
  const { stdout, stderr, env } = terminal;
  const failures = (all: readonly FailureResult[]) => {
    const isJson = format === 'json' || format === 'ndjson';
    const text = all.map((each) =>
      isJson
        ? `${JSON.stringify(errorOf(each), null, format === 'json' ? 2 : 0)}\n`
        : textFor(stderr, env, each.lines),
    );
    return isJson ? { stdout: text.join(''), stderr: '' } : { stdout: '', stderr: text.join('') };
  };
  if (result.kind === 'failure') {
    const hint = result.isUnreachable && !result.isOffline ? [[span(whereToStart(baseUrl, terminal))]] : [];
    return {
      ...failures([{ ...result, lines: [...result.lines, ...hint] }]),
      status: exitCodes[result.reason],
    };
  }
  const status = statusOf(result);
  if (format === 'table' || result.kind === 'help') {
    const lines = shownLines(result, stdout, terminal);
    return {
      stdout: terminalText(lines, hasColour(stdout, env), Number.POSITIVE_INFINITY),
      stderr: '',
      status,
    };
  }
  const missing = failures(format !== 'json' && result.kind === 'price' ? result.missing : []);
  return {
    stdout: dataText(result, format) + missing.stdout,
    stderr: missing.stderr + textFor(stderr, env, result.kind === 'list' ? [] : remarks(result, Date.now())),
    status,
  };
}

function statusOf(result: Exclude<Printable, FailureResult>): number {
  if (result.kind === 'price') return Math.max(0, ...result.missing.map(({ reason }) => exitCodes[reason]));
  return result.kind === 'search' && result.data.results.length === 0 ? exitCodes['not-found'] : 0;
}

/** The lines of a result for a window; a chart uses the rows left by the other lines and the next prompt. */
export function shownLines(result: Printable, window: Window, { env, isPrompt }: Terminal): Line[] {
  const options = { width: widthOf(window), now: Date.now() };
  const wrapWidth = wrapWidthOf(window);
  if (result.kind === 'list') return wrapLines(listLines(result, options), wrapWidth);
  if (result.kind === 'price' && canDraw(window, env)) {
    const [priced, ...others] = [...result.prices, ...result.missing];
    if (priced && 'coin' in priced && others.length === 0)
      return wrapLines(priceCard(priced, result, options), wrapWidth);
  }
  if (result.kind === 'chart') {
    const width = chartWidthOf(window);
    const linesWith = (drawing: readonly Line[]) =>
      wrapLines(resultLines(result, { ...options, draw: () => drawing }), Math.max(width, wrapWidth));
    const rows = (window.rows || PIPE_ROWS) - 1 - linesWith([]).length;
    return linesWith(drawChart(result, { width, rows, hasColour: hasColour(window, env) > 0 }));
  }
  // In a pipe, the rows of a list are never cut.
  const { width } = result.kind === 'search' ? { width: wrapWidth } : options;
  const lines = resultLines(result, { ...options, width });
  if (result.kind !== 'help') return wrapLines(lines, wrapWidth);
  const more = result.topic
    ? [[span('Options of every command: marketdata help', 'muted')]]
    : [...ownOverview(width, isPrompt), [], ...settingsLines(width)];
  return wrapLines([...lines, [], ...more], wrapWidth);
}

function dataText(result: DataResult | ListResult, format: Exclude<OutputFormat, 'table'>): string {
  const isList = result.kind === 'list';
  if (format === 'json') return `${JSON.stringify(isList ? listJson(result) : jsonOf(result), null, 2)}\n`;
  const table = isList ? listRecords(result) : recordsOf(result);
  if (format === 'csv') return csvText(table);
  return table.records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** With machine-readable data on stdout, these remarks about the prices go to stderr. */
function remarks(result: DataResult, now: number): Line[] {
  const conversion = 'conversion' in result ? result.conversion : undefined;
  const all =
    result.kind === 'price'
      ? result.prices.map((priced) => priced.provenance)
      : [result, ...(result.kind === 'chart' ? result.compared : [])].map((each) => each.provenance);
  const provenance =
    all.find(isDoubtful) ?? (conversion && isDoubtful(conversion.provenance) ? all[0] : undefined);
  if (!provenance) return [];
  const line =
    result.kind === 'chart'
      ? chartOrigin(result, { ...shownChart(result), provenance }, now)
      : sourceLine(provenance, { now, conversion });
  return [[span('Note: ', 'muted'), ...line]];
}

function isDoubtful({ quality, isSimulated, outdatedMs }: Provenance): boolean {
  return quality !== 'exact' || isSimulated || outdatedMs !== undefined;
}
