import { complete } from '../commands/complete.ts';
import { sessionRates } from '../commands/currency/rates.ts';
import { commandSpan, span } from '../commands/format/text.ts';
import { lastSearchInMemory } from '../commands/last-search.ts';
import type { ChartResult } from '../commands/result.ts';
import { conversionInto, type RunContext, runLine } from '../commands/run.ts';
import { sessionTickers } from '../commands/tickers.ts';
import { createClient } from '../sdk/index.ts';
import { openAddress } from './address/address.ts';
import { chartCommand } from './chart-command.ts';
import { setUpCurrency } from './currency.ts';
import { button, byId } from './dom.ts';
import { createHome } from './home/home.ts';
import { setUpInnerLinks } from './inner-links.ts';
import { setUpNotices } from './notices.ts';
import { isOffline, setUpOffline } from './offline.ts';
import { setUpPalette } from './palette/opener.ts';
import { type ListedCoin, recentCoins } from './palette/recent.ts';
import { cardRequests } from './panel/loading.ts';
import { createPanel } from './panel/panel.ts';
import { setUpSettings } from './settings.ts';
import { setUpDrawer } from './terminal/drawer.ts';
import { storedHistory } from './terminal/history.ts';
import { setUpInput } from './terminal/input.ts';
import { setUpKeyboardInset } from './terminal/keyboard.ts';
import { createLog } from './terminal/log.ts';
import { createSession } from './terminal/session.ts';
import { setUpViews } from './views.ts';

const SUGGESTIONS = ['cchart BTC', 'cchart ETH --line', 'coinsearch wrapped ether'];
const ownCommands = { clear: () => log.clear(), settings: () => settings.open() };

/** Lines that the service wanted a key for. */
const refused = new Set<string>();

const settings = setUpSettings(() => {
  notices.keyGiven();
  askAgain();
  for (const line of [...refused]) type(line);
});
const notices = setUpNotices(
  () => settings.open(),
  () => settings.key() !== undefined,
);
const { marketdata: api } = createClient({ baseUrl: '', apiKey: settings.key });
/** Past the browser's own cache, which would give the same answer until its lifetime is over. */
const { marketdata: freshApi } = createClient({
  baseUrl: '',
  apiKey: settings.key,
  fetch: (input, init) => fetch(input, { ...init, cache: 'reload' }),
});
const context: RunContext = {
  api,
  rates: sessionRates(api, Date.now),
  tickers: sessionTickers(Date.now),
  lastSearch: lastSearchInMemory(),
  usualConversion: async () => {
    await currency.refresh();
    return currency.conversion();
  },
  keySetting: 'the settings',
  hasKey: () => settings.key() !== undefined,
  isOffline,
  now: Date.now,
};
const recent = recentCoins();
const type = (command: string) => void runCommand(command);
const log = createLog(byId('log', HTMLElement), type);
const drawer = setUpDrawer(type);
const currency = setUpCurrency({
  convert: (code) => conversionInto(code, context),
  onChange() {
    panel.convert();
    home.convert();
  },
  onFailure: ({ lines }) => log.note(lines),
});
const requests = cardRequests(context, freshApi);
const showAddress = openAddress(async (symbol) => {
  const found = await requests.find(symbol);
  return 'kind' in found ? notices.told(found) : found;
});
const panel = createPanel({
  ...requests,
  async load(request, anew) {
    const [result] = await Promise.all([requests.load(request, anew), currency.refresh()]);
    return notices.told(result);
  },
  conversion: currency.conversion,
  onSettings: () => settings.open(),
  runCommand: type,
  focusElsewhere: () => views.focus(),
});
const home = createHome({ api, conversion: currency.conversion, runCommand: type, notices });
const views = setUpViews((view) => home.show(view === 'market'));
const address = showAddress({ panel, views, runCommand: type });
const offline = setUpOffline({
  madeAt: () => (views.current() === 'market' ? home.madeAt() : oldestPrice()),
  onOnline() {
    askAgain();
    const ids = panel.requests().flatMap(({ coin, compared }) => [coin, ...compared].map(({ id }) => id));
    if (ids.length > 0) void requests.askAll([...new Set(ids)].slice(0, 100)).catch(() => undefined);
  },
});
views.onChange(offline.update);
const runCommand = createSession({
  log,
  drawer,
  ownCommands,
  async run(line) {
    const result = notices.told(await runLine(line, context));
    if (result.kind === 'failure' && result.reason === 'unauthorized') refused.add(line);
    else refused.delete(line);
    return result;
  },
  expectChart(symbol) {
    const [arrived, release] = [panel.expect(symbol), address.hold()];
    return () => {
      arrived();
      release();
    };
  },
  showChart,
});
setUpPalette({
  context,
  conversion: currency.conversion,
  notices,
  recent,
  ownCommands: Object.keys(ownCommands),
  runCommand: type,
  openCoin,
  showView: views.show,
  countCharts: () => panel.requests().length,
  chooseCurrency: (code) => void currency.choose(code),
});
setUpInnerLinks();

setUpInput({
  form: byId('prompt', HTMLFormElement),
  input: byId('command', HTMLInputElement),
  history: storedHistory(() => localStorage),
  complete: (line) => complete(line, api, Object.keys(ownCommands)),
  onCandidates(candidates) {
    const lines = [[span(candidates.join('  '), 'muted')]];
    log.note(lines);
    drawer.peek(lines);
  },
  onLine: type,
});
setUpKeyboardInset();
void currency.refresh();
byId('suggestions', HTMLElement).append(
  ...SUGGESTIONS.map((command) => button(command, () => type(command), { class: 'command' })),
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
document.body.classList.remove('starting');

/** Everything that failed, and what is shown. */
function askAgain(): void {
  panel.retryFailed();
  home.refresh();
  address.retry();
  void currency.refresh();
}

function oldestPrice(): number | undefined {
  const times = panel
    .requests()
    .flatMap(({ coin }) => context.tickers.known(coin.id)?.provenance.madeAt ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The card of a coin gets the focus; without one its chart is asked for. */
function openCoin({ id }: ListedCoin): void {
  const index = panel.requests().findIndex(({ coin }) => coin.id === id);
  if (index < 0) {
    type(chartCommand(id));
    return;
  }
  views.show('charts');
  byId('cards', HTMLOListElement).children[index]?.querySelector('article')?.focus();
}

function showChart(result: ChartResult): string {
  views.show('charts');
  recent.add(result.coin);
  const done =
    panel.add(result) === 'added' ? 'Chart added to the panel.' : 'The panel shows this chart already.';
  const { currency: code } = result.command;
  const isSwitched = code !== undefined && code !== currency.chosen();
  // All cards are in one currency; after a reload its rate may not be there yet.
  if (code !== undefined) void currency.choose(code);
  return isSwitched ? `${done} All its charts are in ${code} now.` : done;
}
