import { complete } from '../commands/complete.ts';
import { sessionRates } from '../commands/currency/rates.ts';
import { resultLines } from '../commands/format/result.ts';
import { commandSpan, type Line, span } from '../commands/format/text.ts';
import { commandNamed } from '../commands/parse/table.ts';
import type { Result } from '../commands/result.ts';
import { conversionInto, type RunContext, runLine } from '../commands/run.ts';
import { runChart } from '../commands/run-chart.ts';
import { sessionTickers } from '../commands/tickers.ts';
import { createClient } from '../sdk/index.ts';
import { setUpCurrency } from './currency.ts';
import { button, byId } from './dom.ts';
import { createPanel } from './panel/panel.ts';
import { setUpSettings } from './settings.ts';
import { storedHistory } from './terminal/history.ts';
import { setUpInput } from './terminal/input.ts';
import { createLog } from './terminal/log.ts';

const SUGGESTIONS = ['cchart BTC', 'cchart ETH --line', 'coinsearch wrapped ether'];
/** Commands of the page alone. */
const ownCommands: Readonly<Record<string, () => void>> = {
  clear: () => log.clear(),
  settings: () => settings.open(),
};

const input = byId('command', HTMLInputElement);
const settings = setUpSettings(() => {
  panel.retryFailed();
  void currency.refresh();
});
const simulated = byId('simulated', HTMLElement);
const { marketdata: api } = createClient({ baseUrl: '', apiKey: settings.key });
const context: RunContext = {
  api,
  rates: sessionRates(api, Date.now),
  tickers: sessionTickers(Date.now),
  usualConversion: async () => {
    await currency.refresh();
    return currency.conversion();
  },
  keySetting: 'the settings',
  hasKey: () => settings.key() !== undefined,
  now: Date.now,
};
const log = createLog(byId('log', HTMLElement), (command) => void runCommand(command));
const currency = setUpCurrency({
  convert: (code) => conversionInto(code, context),
  onChange: () => panel.convert(),
  onFailure: ({ lines }) => log.note(lines),
});
const panel = createPanel({
  async load({ coin, command }) {
    const [result] = await Promise.all([runChart(coin, command, context), currency.refresh()]);
    return told(result);
  },
  conversion: currency.conversion,
  runCommand: (command) => void runCommand(command),
  focusElsewhere: () => input.focus(),
});

setUpInput({
  form: byId('prompt', HTMLFormElement),
  input,
  history: storedHistory(() => localStorage),
  complete: (line) => complete(line, api, Object.keys(ownCommands)),
  onCandidates: (candidates) => log.note([[span(candidates.join('  '), 'muted')]]),
  onLine: (line) => void runCommand(line),
});
byId('suggestions', HTMLElement).append(
  ...SUGGESTIONS.map((command) => button(command, () => void runCommand(command), { class: 'command' })),
);
log.note([
  [
    span('Type a command, such as '),
    commandSpan('cprice BTC'),
    span(', or '),
    commandSpan('help'),
    span('.'),
  ],
]);

/** Once a simulated price was shown, the top of the page keeps saying so. */
function told<R extends Result>(result: R): R {
  if (isSimulated(result)) simulated.hidden = false;
  return result;
}

function isSimulated(result: Result): boolean {
  if (result.kind === 'price') return result.prices.some(({ provenance }) => provenance.isSimulated);
  return result.kind === 'chart' && result.provenance.isSimulated;
}

async function runCommand(line: string): Promise<void> {
  const own = ownCommands[line.trim().toLowerCase()];
  if (own) return own();
  const entry = log.begin(line);
  const isChart = commandNamed(line.trim().split(/\s+/, 1)[0] ?? '') === 'chart';
  const arrived = isChart ? panel.expect() : () => {};
  const result = told(await runLine(line, context));
  arrived();
  entry.show(linesOf(result));
}

function linesOf(result: Result): readonly Line[] {
  const lines = resultLines(result, { width: log.columns(), now: Date.now() });
  if (result.kind === 'chart') {
    const done =
      panel.add(result) === 'added' ? 'Chart added to the panel.' : 'The panel shows this chart already.';
    const { currency: code } = result.command;
    const isSwitched = code !== undefined && code !== currency.chosen();
    // All cards are in one currency; after a reload its rate may not be there yet.
    if (code !== undefined) void currency.choose(code);
    return [...lines, [span(isSwitched ? `${done} All its charts are in ${code} now.` : done, 'muted')]];
  }
  if (result.kind === 'help') return [...lines, [], [span('On this page also: '), ...ownCommandSpans()]];
  if (result.kind === 'failure' && result.reason === 'unauthorized') {
    return [...lines, [span('Open them: '), commandSpan('settings')]];
  }
  return lines;
}

function ownCommandSpans(): Line {
  return Object.keys(ownCommands).flatMap((name, index) => [
    ...(index > 0 ? [span(', ')] : []),
    commandSpan(name),
  ]);
}
