import type { Api } from '../../commands/api.ts';
import type { Conversion } from '../../commands/currency/conversion.ts';
import { ApiFailure } from '../../sdk/index.ts';
import { chartCommand } from '../chart-command.ts';
import { button, byId, element } from '../dom.ts';
import type { Notices } from '../notices.ts';
import type { ListedCoin, Prices } from './coin-row.ts';
import { createCoinTable } from './coin-table.ts';
import { createFeed } from './feed.ts';
import { createFigures, updateGlance } from './figures.ts';
import { createMovers } from './movers.ts';
import { statusOf } from './status.ts';

const COINS = 20;
/** How often an age in minutes is told anew. */
const TICK_MS = 30_000;

export interface HomeOptions {
  readonly api: Pick<Api, 'overview' | 'tickers' | 'sparklines'>;
  /** From US dollars to the currency of the page. */
  readonly conversion: () => Conversion | undefined;
  readonly runCommand: (command: string) => void;
  readonly notices: Notices;
}

export interface Home {
  /** Only what is shown is kept up to date. */
  show(isShown: boolean): void;
  /** Shows the same prices in the currency that the page has now. */
  convert(): void;
  /** Asks for everything that is shown, now. */
  refresh(): void;
  /** When the prices in the table were made, in milliseconds since the epoch; undefined if there are none yet. */
  readonly madeAt: () => number | undefined;
}

/** The first screen: the market at a glance, also in the header, and its largest coins with a week of prices. */
export function createHome({ api, conversion, runCommand, notices }: HomeOptions): Home {
  const market = byId('market', HTMLElement);
  const glance = byId('glance', HTMLElement);
  const openChart = (id: string) => runCommand(chartCommand(id));
  const overview = createFeed(() => api.overview(), update);
  const tickers = createFeed(() => api.tickers({ sort: 'rank', limit: COINS }), update);
  const sparklines = createFeed(() => api.sparklines(), update);

  const figures = createFigures();
  const table = createCoinTable(COINS, openChart);
  const gainers = createMovers('Gainers, 24h', openChart);
  const losers = createMovers('Losers, 24h', openChart);
  const source = element('p', { class: 'market-source' });
  const problem = element('p', { class: 'market-problem', role: 'status' });
  const again = button('Try again', () => refresh(), { hidden: '' });
  const body = element(
    'div',
    { class: 'market-body' },
    element('div', { class: 'tile' }, table.element),
    element('div', { class: 'tile mover-parts' }, gainers.element, losers.element),
  );
  market.prepend(
    market.querySelector('h2') ?? '',
    figures.element,
    element('div', { class: 'market-status' }, source, problem, again),
    body,
  );
  setInterval(showStatus, TICK_MS);

  function update(): void {
    const shown = conversion();
    const seen = overview.latest();
    figures.update(seen, shown);
    updateGlance(glance, seen, shown);
    if (seen) {
      gainers.update(seen.data.gainers, shown);
      losers.update(seen.data.losers, shown);
    }
    const listed = tickers.latest();
    if (listed)
      table.update(listed.data.results.filter(hasTicker), pricesOf(sparklines.latest()?.data), shown);
    for (const feed of [overview, tickers]) {
      if (feed.latest()?.provenance.isSimulated) notices.simulated();
      const failure = feed.failure();
      if (failure instanceof ApiFailure && failure.status === 401) notices.keyWanted();
    }
    showStatus();
  }

  function showStatus(): void {
    const failure = tickers.failure() ?? overview.failure();
    const told = statusOf(tickers.latest() ?? overview.latest(), failure, conversion());
    const isEmpty = failure !== undefined && !tickers.latest() && !overview.latest();
    market.classList.toggle('old', told.isOld);
    market.classList.toggle('failed', isEmpty);
    again.hidden = failure === undefined;
    source.textContent = told.source;
    if (problem.textContent !== told.problem) problem.textContent = told.problem;
  }

  function refresh(): void {
    for (const feed of [overview, tickers, sparklines]) feed.refresh();
  }

  overview.want(true);
  return {
    show(isShown) {
      glance.hidden = isShown; // the same figures are below it, larger
      tickers.want(isShown);
      sparklines.want(isShown);
    },
    convert: update,
    refresh,
    madeAt: () => tickers.latest()?.provenance.madeAt,
  };
}

function hasTicker(item: { readonly id?: string }): item is ListedCoin {
  return 'ticker' in item;
}

type Sparklines = Awaited<ReturnType<Api['sparklines']>>['data'];

function pricesOf(data: Sparklines | undefined): ReadonlyMap<string, Prices> {
  return new Map((data?.coins ?? []).flatMap((coin) => ('prices' in coin ? [[coin.id, coin.prices]] : [])));
}
