import { version } from '../../shared/platform/version.ts';
import { sessionRates } from '../commands/currency/rates.ts';
import { usageFailure } from '../commands/failure.ts';
import { resultLines } from '../commands/format/result.ts';
import { sourceLine } from '../commands/format/source.ts';
import { type Line, span } from '../commands/format/text.ts';
import type { Provenance } from '../commands/provenance.ts';
import { providers } from '../commands/providers.ts';
import type { ChartResult, FailureReason, PriceResult, Result, SearchResult } from '../commands/result.ts';
import { type RunContext, runWords } from '../commands/run.ts';
import { styleOf } from '../commands/shown-chart.ts';
import { sessionTickers } from '../commands/tickers.ts';
import { createClient } from '../sdk/index.ts';
import { terminalText } from './ansi.ts';
import { drawChart } from './chart/chart.ts';
import { jsonOf } from './json.ts';
import { KEY_VARIABLE, readSettings, type Settings, settingsHelp } from './settings.ts';
import { spinning } from './spinner.ts';
import { chartRowsOf, hasColour, type Terminal, widthOf } from './terminal.ts';

export const programs = ['price', 'cprice', 'chart', 'cchart', 'coinsearch', 'marketdata'] as const;
export type Program = (typeof programs)[number];

/** 4 means that the same command may succeed later, so that scripts can tell a wrong symbol (3) from an outage. */
const exitCodes: Readonly<Record<FailureReason, number>> = {
  failed: 1,
  unauthorized: 1,
  usage: 2,
  'not-found': 3,
  'rate-limited': 4,
  unavailable: 4,
};

/** Runs a program with its command line and returns its exit status. Never throws. */
export async function runProgram(
  program: Program,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  let settings: Settings;
  try {
    settings = readSettings(args, terminal.env);
  } catch (error) {
    return print(usageFailure(error), { json: false, baseUrl: '' }, terminal);
  }
  const { words, baseUrl, apiKey } = settings;
  if (settings.version) {
    terminal.stdout.write(`${version}\n`);
    return 0;
  }
  const { marketdata: api } = createClient({ baseUrl, apiKey });
  const session = { rates: sessionRates(api, Date.now), tickers: sessionTickers(Date.now) };
  const run = (line: readonly string[]) => runAndPrint(line, { ...settings, ...session, api }, terminal);
  if (program !== 'marketdata') return await run([program, ...words]);
  if (words.length > 0) return await run(words);
  const { runPrompt } = await import('./prompt.ts');
  return await runPrompt({ baseUrl, api, run }, terminal);
}

type Target = Pick<Settings, 'json' | 'baseUrl'>;

async function runAndPrint(
  words: readonly string[],
  settings: Settings & Pick<RunContext, 'api' | 'rates' | 'tickers'>,
  terminal: Terminal,
): Promise<number> {
  const context: RunContext = {
    api: settings.api,
    rates: settings.rates,
    tickers: settings.tickers,
    keySetting: `the environment variable ${KEY_VARIABLE}`,
    hasKey: () => settings.apiKey !== undefined,
    now: Date.now,
  };
  const result = await spinning(runWords(words, context), terminal.stderr, terminal.env);
  return print(result, settings, terminal);
}

/** Data and help on stdout, failures and remarks on stderr. */
function print(result: Result, { json, baseUrl }: Target, { stdout, stderr, env }: Terminal): number {
  const now = Date.now();
  if (result.kind === 'failure') {
    const lines = resultLines(result, { width: widthOf(stderr), now });
    const hint = result.isUnreachable ? [whereToStart(baseUrl)] : [];
    stderr.write(terminalText([...lines, ...hint], hasColour(stderr, env)));
    return exitCodes[result.reason];
  }
  if (json && result.kind !== 'help') {
    stdout.write(`${JSON.stringify(jsonOf(result), null, 2)}\n`);
    stderr.write(terminalText(remarks(result, now), hasColour(stderr, env)));
  } else {
    const width = widthOf(stdout);
    const colour = hasColour(stdout, env);
    const rows = chartRowsOf(stdout);
    const lines = resultLines(result, {
      width,
      now,
      draw: (series) =>
        result.kind === 'chart' ? drawn(result, series, { width, rows, hasColour: colour }) : [],
    });
    stdout.write(terminalText(lines, colour));
    if (result.kind === 'help') stdout.write(`\n${settingsHelp}`);
  }
  if (result.kind === 'price') return Math.max(0, ...result.missing.map(({ reason }) => exitCodes[reason]));
  return result.kind === 'search' && result.data.results.length === 0 ? exitCodes['not-found'] : 0;
}

function drawn(
  result: ChartResult,
  series: Parameters<typeof drawChart>[0],
  size: { readonly width: number; readonly rows: number; readonly hasColour: boolean },
): Line[] {
  return [[], ...drawChart(series, { style: styleOf(result), interval: result.data.interval, ...size }), []];
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

function whereToStart(baseUrl: string): Line {
  return [
    span(
      `Is the service running at ${baseUrl}? Start it with npm start, or name another with --url or MARKETDATA_URL.`,
    ),
  ];
}
