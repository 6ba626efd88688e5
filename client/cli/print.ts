import { resultLines } from '../commands/format/result.ts';
import { sourceLine } from '../commands/format/source.ts';
import { type Line, span } from '../commands/format/text.ts';
import { wrapLines } from '../commands/format/wrap.ts';
import type { Provenance } from '../commands/provenance.ts';
import { providers } from '../commands/providers.ts';
import type { ChartResult, FailureReason, PriceResult, Result, SearchResult } from '../commands/result.ts';
import { styleOf } from '../commands/shown-chart.ts';
import { terminalText } from './ansi.ts';
import { spacedChart } from './chart/chart.ts';
import { drawCompared } from './chart/compare.ts';
import { jsonOf } from './json.ts';
import { ownOverview } from './own-help.ts';
import { whereToStart } from './serve/where.ts';
import { type Settings, settingsHelp } from './settings.ts';
import { chartRowsOf, hasColour, type Terminal, widthOf, wrapWidthOf } from './terminal.ts';

type Target = Pick<Settings, 'json' | 'baseUrl'>;

/** 4 means that the same command may succeed later, so that scripts can tell a wrong symbol (3) from an outage. */
const exitCodes: Readonly<Record<FailureReason, number>> = {
  failed: 1,
  unauthorized: 1,
  usage: 2,
  'not-found': 3,
  'rate-limited': 4,
  unavailable: 4,
};

/** Data and help on stdout, failures and remarks on stderr. Returns the exit status. */
export function print(result: Result, { json, baseUrl }: Target, terminal: Terminal): number {
  const { stdout, stderr, env } = terminal;
  const now = Date.now();
  if (result.kind === 'failure') {
    const lines = resultLines(result, { width: widthOf(stderr), now });
    const hint = result.isUnreachable && !result.isOffline ? [[span(whereToStart(baseUrl, terminal))]] : [];
    stderr.write(terminalText([...lines, ...hint], hasColour(stderr, env), wrapWidthOf(stderr)));
    return exitCodes[result.reason];
  }
  if (json && result.kind !== 'help') {
    stdout.write(`${JSON.stringify(jsonOf(result), null, 2)}\n`);
    stderr.write(terminalText(remarks(result, now), hasColour(stderr, env), wrapWidthOf(stderr)));
  } else {
    // The rows of a list are whole in a pipe, whatever their width.
    const width = result.kind === 'search' ? wrapWidthOf(stdout) : widthOf(stdout);
    const colour = hasColour(stdout, env);
    const others = wrapLines(resultLines(result, { width, now }), wrapWidthOf(stdout));
    const rows = chartRowsOf(stdout, others.length);
    const lines = resultLines(result, {
      width,
      now,
      draw: (series) =>
        result.kind === 'chart' ? drawn(result, series, { width, rows, hasColour: colour }) : [],
    });
    stdout.write(terminalText(lines, colour, wrapWidthOf(stdout)));
    if (result.kind === 'help') {
      stdout.write(`\n${result.topic ? '' : `${ownOverview(width)}\n`}${settingsHelp}`);
    }
  }
  if (result.kind === 'price') return Math.max(0, ...result.missing.map(({ reason }) => exitCodes[reason]));
  return result.kind === 'search' && result.data.results.length === 0 ? exitCodes['not-found'] : 0;
}

function drawn(
  result: ChartResult,
  series: Parameters<typeof spacedChart>[0],
  size: { readonly width: number; readonly rows: number; readonly hasColour: boolean },
): Line[] {
  if (result.compared.length > 0) return drawCompared(result, size);
  return spacedChart(series, { style: styleOf(result), ...size });
}

type DataResult = PriceResult | ChartResult | SearchResult;

/** With JSON on stdout, these remarks about the prices go to stderr. */
function remarks(result: DataResult, now: number): Line[] {
  const conversion = 'conversion' in result ? result.conversion : undefined;
  const all =
    result.kind === 'price' ? result.prices.map((priced) => priced.provenance) : [result.provenance];
  const provenance =
    all.find(isDoubtful) ?? (conversion && isDoubtful(conversion.provenance) ? all[0] : undefined);
  if (!provenance) return [];
  const { label } = providers[result.command.protocol];
  const interval = result.kind === 'chart' ? { interval: result.data.interval } : {};
  return [[span('Note: ', 'muted'), ...sourceLine(provenance, { label, now, conversion, ...interval })]];
}

function isDoubtful({ quality, isSimulated, outdatedMs }: Provenance): boolean {
  return quality !== 'exact' || isSimulated || outdatedMs !== undefined;
}
