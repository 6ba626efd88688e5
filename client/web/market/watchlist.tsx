import { isOld } from '../app/feed.ts';
import { knownTicker, useTickers } from '../app/session.ts';
import { CoinField } from '../search/coin-field.tsx';
import { type CoinRow, CoinTable } from './coin-table.tsx';
import { watchlist } from './keeps.tsx';
import { FileButtons } from './portfolio.tsx';

/** The coins with a star. */
export function Watchlist() {
  const coins = watchlist.value;
  const prices = useTickers(coins.map(({ id }) => id));
  const problems = new Map(
    (prices.loaded.value?.value ?? []).flatMap((item) => ('error' in item ? [[item.id, item.error]] : [])),
  );
  const rows = coins.map((coin): CoinRow => {
    const ticker = knownTicker(coin.id);
    const { name, symbol } = ticker?.data ?? coin;
    const quality = ticker?.provenance.quality;
    return { id: coin.id, name, symbol, ticker: ticker?.data, quality, problem: problems.get(coin.id) };
  });
  const provenance = prices.loaded.value?.provenance;
  return (
    <div class="market">
      <div class="view-head">
        <h1>Watchlist</h1>
        <CoinField
          label="Add a coin to the watchlist"
          placeholder="Add a coin"
          onPick={({ id, name, symbol }) => {
            if (coins.some((coin) => coin.id === id)) return `${name} is in the watchlist already.`;
            watchlist.value = [...coins, { id, name, symbol }];
            return undefined;
          }}
        />
        <FileButtons />
      </div>
      {rows.length === 0 ? (
        <p class="empty">
          No coin has a star yet. Press the star beside a coin, here or in the <a href="/">market</a>.
        </p>
      ) : (
        <CoinTable
          caption="The coins of your watchlist"
          rows={rows}
          expected={rows.length}
          isOld={provenance !== undefined && isOld(provenance)}
        />
      )}
    </div>
  );
}
