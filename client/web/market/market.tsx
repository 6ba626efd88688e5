import { useState } from 'preact/hooks';
import { NOT_AVAILABLE } from '../../commands/format/numbers.ts';
import { clean, plainText } from '../../commands/format/text.ts';
import { together } from '../../commands/provenance.ts';
import { sourceLine } from '../../commands/sources.ts';
import type { MarketdataOverviewData } from '../../sdk/index.ts';
import { clock, isOld, type Loaded, useFeed } from '../app/feed.ts';
import { Amount, Bone, Change, CoinLink, Failure, Price } from '../app/parts.tsx';
import { api, loadedOf, loading } from '../app/session.ts';
import { type CoinRow, CoinTable, type ListSort } from './coin-table.tsx';

const PAGE = 50;

/** The first screen: the market at a glance, who moved most, and all coins page by page. */
export function Market() {
  const overview = useFeed('overview', () =>
    loading('The market', async () => loadedOf(await api.overview())),
  );
  const data = overview.loaded.value?.value;
  return (
    <div class="market">
      <h1 class="visually-hidden">Market</h1>
      <Figures data={data} />
      <div class="movers-row">
        <Movers title="Gainers, 24h" movers={data?.gainers} />
        <Movers title="Losers, 24h" movers={data?.losers} />
      </div>
      <Coins />
    </div>
  );
}

function Coins() {
  const [sort, setSort] = useState<ListSort>('rank');
  const [pages, setPages] = useState(1);
  const list = useFeed(`${sort} ${pages}`, () => loading('The list of coins', () => loadPages(sort, pages)));
  const loaded = list.loaded.value;
  const failure = list.failure.value;
  if (failure && !loaded)
    return <Failure failure={failure} name="the list of coins" onRetry={() => void list.refresh()} />;
  const provenance = loaded?.provenance;
  return (
    <>
      <CoinTable
        caption="Coins with their prices"
        rows={loaded?.value.rows}
        expected={PAGE}
        sort={sort}
        onSort={(next) => {
          setSort(next);
          setPages(1);
        }}
        isOld={provenance !== undefined && isOld(provenance)}
      />
      <div class="table-foot">
        <p>{provenance && `Source: ${plainText([sourceLine(provenance, { now: clock.value })])}`}</p>
        {loaded?.value.hasMore && (
          <button type="button" aria-disabled={list.isBusy.value} onClick={() => setPages(pages + 1)}>
            {list.isBusy.value ? 'Loading …' : 'Show more coins'}
          </button>
        )}
      </div>
    </>
  );
}

interface CoinList {
  readonly rows: readonly CoinRow[];
  readonly hasMore: boolean;
}

async function loadPages(sort: ListSort, pages: number): Promise<Loaded<CoinList>> {
  const rows: CoinRow[] = [];
  const origins: Loaded<unknown>['provenance'][] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const answer = await api.tickers({ sort, limit: PAGE, ...(cursor !== undefined && { cursor }) });
    origins.push(loadedOf(answer).provenance);
    for (const item of answer.data.results) {
      if (!('ticker' in item)) continue;
      const { ticker, quality } = item;
      rows.push({ id: ticker.id, name: ticker.name, symbol: ticker.symbol, ticker, quality });
    }
    cursor = answer.data.nextCursor ?? undefined;
    if (cursor === undefined) break;
  }
  const known = origins.filter((origin) => origin !== undefined);
  return {
    value: { rows, hasMore: cursor !== undefined },
    provenance: known.length === 0 ? undefined : together(known),
  };
}

/** The market's totals and the shares of its largest coins, as large figures. */
function Figures({ data }: { readonly data: MarketdataOverviewData | undefined }) {
  const share = (index: number) => {
    const coin = data?.largest[index];
    return coin ? `${coin.share.toFixed(1)}%` : NOT_AVAILABLE;
  };
  const symbolOf = (index: number, unless: string) =>
    // Ids begin with the symbol: `btc-bitcoin`.
    clean(data?.largest[index]?.id.split('-', 1)[0] ?? unless).toUpperCase();
  const figures = [
    ['Market cap', data && <Amount usd={data.marketCap.usd} />],
    ['Volume 24h', data && <Amount usd={data.volume24h.usd} />],
    [`${symbolOf(0, 'BTC')} share`, data && share(0)],
    [`${symbolOf(1, 'ETH')} share`, data && share(1)],
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value ?? <Bone />}</dd>
        </div>
      ))}
    </dl>
  );
}

const MOVERS = 3;

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
        {movers
          ? movers.slice(0, MOVERS).map((mover) => (
              <li key={mover.id}>
                <CoinLink coin={mover} />
                <span class="figure">
                  <Change percent={mover.change} />
                  <span class="symbol">
                    <Price usd={mover.price} />
                  </span>
                </span>
              </li>
            ))
          : Array.from({ length: MOVERS }, () => (
              <li>
                <Bone wide />
              </li>
            ))}
        {movers?.length === 0 && <li>None</li>}
      </ol>
    </section>
  );
}
