import { useState } from 'preact/hooks';
import { NOT_AVAILABLE } from '../../commands/format/numbers.ts';
import { clean, plainText } from '../../commands/format/text.ts';
import { sourceLine } from '../../commands/sources.ts';
import type { MarketdataOverviewData, MarketdataTickersData, Quality } from '../../sdk/index.ts';
import { Button } from '../app/button.tsx';
import { clock, loadedOf, ofAll, useFeed, useTickers } from '../app/feed.ts';
import { Amount, Bone, Change, CoinLink, Failure, Figures, Price } from '../app/parts.tsx';
import { CoinField } from '../app/search.tsx';
import { api, knownTicker } from '../app/session.ts';
import type { ListOrder } from './coin-table.tsx';
import { FileButtons, watchlist } from './keeps.tsx';
import { PricedCoins, type PricedRow } from './priced-coins.tsx';

const PAGE = 50;
/** One screen of rows: more would be drawn unseen before the prices arrive. */
const EMPTY_ROWS = 20;
const MOVERS = 3;
const notes: Readonly<Partial<Record<Quality, string>>> = { disputed: 'disputed', stale: 'old' };

/** The first screen: the market at a glance, the day's movers, and all coins page by page. */
export function Market() {
  const { value } = useFeed('', 'The market', async () => loadedOf(await api.overview()));
  const share = (index: number, usual: string) => {
    const coin = value?.largest[index];
    const symbol = coin?.id.split('-', 1)[0] ?? usual; // ids start with it: `btc-bitcoin`
    const percent = coin ? `${coin.share.toFixed(1)}%` : NOT_AVAILABLE;
    return { [`${clean(symbol).toUpperCase()} share`]: value && percent };
  };
  return (
    <div class="market">
      <h1 class="visually-hidden">Market</h1>
      <Figures
        figures={{
          'Market cap': value && <Amount usd={value.marketCap.usd} />,
          'Volume 24h': value && <Amount usd={value.volume24h.usd} />,
          ...share(0, 'BTC'),
          ...share(1, 'ETH'),
        }}
      />
      <div class="movers-row">
        <Movers title="Gainers, 24h" movers={value?.gainers} />
        <Movers title="Losers, 24h" movers={value?.losers} />
      </div>
      <Coins />
    </div>
  );
}

interface MoversProps {
  readonly title: string;
  readonly movers: MarketdataOverviewData['gainers'] | undefined;
}

/** The coins that changed most in a day. */
function Movers({ title, movers }: MoversProps) {
  return (
    <section class="tile" aria-label={title}>
      <h2>{title}</h2>
      <ol class="movers">
        {movers?.slice(0, MOVERS).map((mover) => (
          <li key={mover.id}>
            <CoinLink coin={mover} />
            <span class="figure">
              <Change percent={mover.change} />
              <span class="symbol">
                <Price usd={mover.price} />
              </span>
            </span>
          </li>
        )) ??
          Array.from({ length: MOVERS }, () => (
            <li>
              <Bone wide />
            </li>
          ))}
        {movers?.length === 0 && <li>None</li>}
      </ol>
    </section>
  );
}

function Coins() {
  const [order, setOrder] = useState<ListOrder>('rank');
  const [pages, setPages] = useState(1);
  const list = useFeed(`${order} ${pages}`, 'The list of coins', () => loadPages(order, pages));
  const { value, provenance, isBusy } = list;
  if (!value && list.failure) return <Failure feed={list} name="the list of coins" />;
  return (
    <>
      <PricedCoins
        caption="Coins with their prices"
        rows={value?.rows}
        expected={EMPTY_ROWS}
        provenance={provenance}
        order={list.failure && value ? value.order : order}
        onOrder={(next) => {
          setOrder(next);
          setPages(1);
        }}
      />
      <div class="table-foot">
        <p>{provenance && `Source: ${plainText([sourceLine(provenance, { now: clock.value })])}`}</p>
        {value?.hasMore && (
          <Button
            label={isBusy ? 'Loading …' : 'Show more coins'}
            aria-disabled={isBusy}
            onClick={() => setPages(pages + 1)}
          />
        )}
      </div>
    </>
  );
}

async function loadPages(order: ListOrder, pages: number) {
  const answers: ReturnType<typeof loadedOf<MarketdataTickersData>>[] = [];
  let cursor: string | undefined;
  do {
    const query = { sort: order, limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const answer = loadedOf(await api.tickers(query));
    answers.push(answer);
    cursor = answer.value.nextCursor ?? undefined;
  } while (cursor !== undefined && answers.length < pages);
  const items = answers.flatMap(({ value }) => value.results);
  const rows = items.flatMap((item): PricedRow[] => {
    if (!('ticker' in item)) return [];
    const { id, name, symbol } = item.ticker;
    return [{ id, name, symbol, ticker: item.ticker, note: notes[item.quality] }];
  });
  return {
    value: { rows, order, hasMore: cursor !== undefined },
    provenance: ofAll(answers.map(({ provenance }) => provenance)),
  };
}

/** Starred coins. */
export function Watchlist() {
  const coins = watchlist.value;
  const prices = useTickers(coins.map(({ id }) => id));
  const rows = coins.map((coin): PricedRow => {
    const ticker = knownTicker(coin.id);
    const { name, symbol } = ticker?.data ?? coin;
    const missing = prices.value?.find((item) => 'error' in item && item.id === coin.id);
    const problem = missing && 'error' in missing ? missing.error : undefined;
    const note = ticker && notes[ticker.provenance.quality];
    return { id: coin.id, name, symbol, ticker: ticker?.data, note, problem };
  });
  return (
    <div class="market">
      <div class="view-head">
        <h1>Watchlist</h1>
        <CoinField
          label="Add a coin to the watchlist"
          placeholder="Add a coin"
          refusal={({ id, name }) =>
            coins.some((coin) => coin.id === id) && `${clean(name)} is already in the watchlist.`
          }
          onPick={({ id, name, symbol }) => {
            watchlist.value = [...coins, { id, name, symbol }];
          }}
        />
        <FileButtons />
      </div>
      {rows.length === 0 ? (
        <p class="empty">
          No coin has a star yet. Press the star beside a coin, here or in the <a href="/">market</a>.
        </p>
      ) : (
        <PricedCoins
          caption="The coins of your watchlist"
          rows={rows}
          expected={rows.length}
          provenance={prices.provenance}
        />
      )}
    </div>
  );
}
