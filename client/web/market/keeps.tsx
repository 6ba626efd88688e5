/** The reader's data in this browser: starred coins and holdings, and a file with both. */
import { computed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { clean } from '../../commands/format/text.ts';
import { type Holding, isAmount, portfolioIn, portfolioText } from '../../commands/portfolio-file.ts';
import { Button, IconButton } from '../app/button.tsx';
import { announce, notify } from '../app/session.ts';
import { coinsIn, download, isText, type NamedCoin, storedSignal } from '../app/stored.ts';

/** An amount of a coin; its cost is in `currency`, in capitals. */
export type Held = NamedCoin & Holding;

export const watchlist = storedSignal('watchlist', (value): readonly NamedCoin[] =>
  coinsIn(value, () => ({})),
);
export const holdings = storedSignal('holdings', (value): readonly Held[] =>
  coinsIn(value, ({ amount, cost, currency }) => {
    if (!isAmount(amount)) return undefined;
    return { amount, ...(isAmount(cost) && { cost, currency: isText(currency) ? currency : 'USD' }) };
  }),
);

const starred = computed(() => new Set(watchlist.value.map(({ id }) => id)));

export function Star({ coin: { id, name, symbol } }: { readonly coin: NamedCoin }) {
  const isOn = starred.value.has(id);
  const toggle = () => {
    const before = watchlist.peek();
    watchlist.value = isOn ? before.filter((coin) => coin.id !== id) : [...before, { id, name, symbol }];
    if (isOn)
      notify(`${clean(name)} removed from the watchlist`, () => {
        watchlist.value = before;
      });
    else announce(`${clean(name)} added to the watchlist`);
  };
  return (
    <IconButton
      glyph="star"
      class="star"
      pressed={isOn}
      label={`${clean(name)} in the watchlist`}
      title={isOn ? 'Remove from the watchlist' : 'Add to the watchlist'}
      onClick={toggle}
    />
  );
}

/** Export and import of watchlist and holdings as one file, which `marketdata config import` reads too. */
export function FileButtons() {
  const file = useRef<HTMLInputElement>(null);
  return (
    <div class="file-buttons">
      <Button label="Export" onClick={saveFile} />
      <Button label="Import" onClick={() => file.current?.click()} />
      <input
        ref={file}
        type="file"
        accept=".json,application/json"
        hidden
        aria-label="File to import"
        onChange={async (event) => {
          const [chosen] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (chosen) takeOver(await chosen.text());
        }}
      />
    </div>
  );
}

function saveFile(): void {
  const text = portfolioText({
    watchlist: watchlist.peek().map(({ id }) => id),
    holdings: holdings.peek().map(({ id, amount, cost, currency }) => ({ id, amount, cost, currency })),
  });
  download(new Blob([text], { type: 'application/json' }), 'portfolio.json');
}

/** Replaces the stored data with a file's; this can be undone. */
function takeOver(text: string): void {
  const watched = watchlist.peek();
  const held = holdings.peek();
  const named = new Map([...watched, ...held].map((coin) => [coin.id, coin]));
  const coinOf = (id: string): NamedCoin => ({
    id,
    name: named.get(id)?.name ?? id,
    symbol: named.get(id)?.symbol ?? '',
  });
  try {
    const file = portfolioIn(text);
    watchlist.value = file.watchlist.map(coinOf);
    holdings.value = file.holdings.map((holding) => ({ ...coinOf(holding.id), ...holding }));
    notify(`Imported ${file.holdings.length} holdings and ${file.watchlist.length} watched coins`, () => {
      watchlist.value = watched;
      holdings.value = held;
    });
  } catch (error) {
    notify(error instanceof Error ? error.message : String(error));
  }
}
