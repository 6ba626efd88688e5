import { useRef, useState } from 'preact/hooks';
import { formatPercent, formatPrice, toneOf } from '../../commands/format/numbers.ts';
import { clean } from '../../commands/format/text.ts';
import { isAmount, MAX_HOLDINGS } from '../../commands/portfolio-file.ts';
import type { MarketdataValuationData } from '../../sdk/index.ts';
import { IconButton } from '../app/button.tsx';
import { isOld, loadedOf, useFeed } from '../app/feed.ts';
import { Change, Failure, Figures, Quoted } from '../app/parts.tsx';
import { CoinField } from '../app/search.tsx';
import { api, currency, notify } from '../app/session.ts';
import type { NamedCoin } from '../app/stored.ts';
import { type CoinRow, CoinTable, type Column, coinColumn } from './coin-table.tsx';
import { FileButtons, type Held, holdings } from './keeps.tsx';

type Position = MarketdataValuationData['positions'][number];

interface HeldRow extends CoinRow {
  readonly amount: string;
  /** Undefined until the service has valued it. */
  readonly position: Position | undefined;
  /** The currency of `position`: the former one until the holdings are valued in another. */
  readonly quote: string | undefined;
}

/** The reader's holdings, valued by the service in decimals. */
export function Portfolio() {
  const held = holdings.value;
  const code = currency.value;
  const input = {
    currency: code,
    holdings: held.map(({ id, amount, cost, currency: paidIn }) => ({
      id,
      amount,
      ...(cost !== undefined && paidIn === code && { cost }),
    })),
  };
  const valuation = useFeed<MarketdataValuationData>(JSON.stringify(input), 'The portfolio', async () =>
    held.length === 0 ? undefined : loadedOf(await api.valuation(input)),
  );
  const data = valuation.value;
  const rows = held.map(({ id, name, symbol, amount }, index): HeldRow => {
    const position = data?.positions.find((each) => each.index === index && each.id === id);
    const problem = data?.missing.find((missing) => missing.index === index)?.message;
    const { name: knownName = name, symbol: knownSymbol = symbol } = position ?? {};
    return { id, name: knownName, symbol: knownSymbol, amount, position, quote: data?.currency, problem };
  });
  const paidIn = held.find(({ cost, currency: paid }) => cost !== undefined && paid !== code)?.currency;
  const change = data?.change24hPercent ?? null;
  return (
    <div class="market">
      <div class="view-head">
        <h1>Portfolio</h1>
        <FileButtons />
      </div>
      <Failure feed={valuation} name="the portfolio" />
      {held.length > 0 && (
        <Figures
          figures={{
            Worth: data && money(data.total, data.currency),
            '24h': data && <span class={toneOf(change)}>{formatPercent(change)}</span>,
            ...(data && !data.isComplete && { 'Not counted': data.missing.length }),
          }}
        />
      )}
      <AddHolding />
      {held.length === 0 ? (
        <p class="empty">
          Nothing here yet. Add what you hold above, or import a file. It stays in this browser; the service
          only values it.
        </p>
      ) : (
        <CoinTable
          class={`holdings ${isOld(valuation.provenance) ? 'old' : ''}`}
          caption="What you hold and what it is worth"
          columns={columns}
          rows={rows}
          expected={rows.length}
        />
      )}
      {paidIn && <p class="empty">Some costs are in {paidIn}: choose that currency to see their profits.</p>}
    </div>
  );
}

const columns: readonly Column<HeldRow>[] = [
  coinColumn,
  { name: '', title: 'Amount', cell: (row) => <AmountField row={row} /> },
  {
    name: 'price',
    title: 'Price',
    cell: ({ position, quote }) => position && <Quoted price={Number(position.price)} quote={quote} />,
  },
  { name: '', title: 'Value', cell: ({ position, quote }) => position && money(position.value, quote) },
  {
    name: 'day',
    title: '24h',
    cell: ({ position }) => position && <Change percent={position.change24hPercent} />,
  },
  {
    name: 'week',
    title: 'Profit',
    cell: ({ position, quote }) =>
      position?.profit ? (
        <>
          {money(position.profit, quote)} <Change percent={position.profitPercent} />
        </>
      ) : (
        ''
      ),
  },
  {
    name: 'hour',
    title: 'Share',
    cell: ({ position }) => (position?.sharePercent == null ? '' : `${position.sharePercent.toFixed(1)}%`),
  },
  {
    name: '',
    title: <span class="visually-hidden">Remove</span>,
    cell: ({ id, name }) => (
      <IconButton
        glyph="remove"
        label={`Remove ${clean(name)}`}
        onClick={() => {
          const before = holdings.peek();
          holdings.value = before.filter((each) => each.id !== id);
          notify(`${clean(name)} removed from the portfolio`, () => {
            holdings.value = before;
          });
        }}
      />
    ),
  },
];

function AmountField({ row: { id, name, amount } }: { readonly row: HeldRow }) {
  return (
    <input
      class="amount"
      inputMode="decimal"
      aria-label={`Amount of ${clean(name)}`}
      value={amount}
      onChange={({ currentTarget: field }) => {
        const next = field.value.trim();
        if (isAmount(next))
          holdings.value = holdings.peek().map((each) => (each.id === id ? { ...each, amount: next } : each));
        else {
          field.value = amount;
          notify('An amount is a number above zero with a point, such as 0.25.');
        }
      }}
    />
  );
}

/** Adds a holding: a coin, its amount and its cost. */
function AddHolding() {
  const [coin, setCoin] = useState<NamedCoin>();
  const [problem, setProblem] = useState('');
  const form = useRef<HTMLFormElement>(null);

  /** Why it cannot be added; empty on success. */
  function add(fields: FormData): string {
    const [amount = '', cost = ''] = ['amount', 'cost'].map((name) => String(fields.get(name)).trim());
    const before = holdings.peek();
    if (!coin) return 'Choose a coin first.';
    if (!isAmount(amount)) return 'The amount is a number above zero with a point, such as 0.25.';
    if (cost !== '' && !isAmount(cost)) return 'The cost is a number with a point, such as 15000.';
    if (before.some(({ id }) => id === coin.id))
      return `${coin.name} is already in the portfolio: change its amount.`;
    if (before.length >= MAX_HOLDINGS) return `At most ${MAX_HOLDINGS} holdings.`;
    const held: Held = { ...coin, amount, ...(cost !== '' && { cost, currency: currency.peek() }) };
    holdings.value = [...before, held];
    setCoin(undefined);
    form.current?.reset();
    return '';
  }

  const field = (name: string, label: string) => (
    <input name={name} class="amount" inputMode="decimal" aria-label={label} placeholder={label} />
  );
  return (
    <form
      ref={form}
      class="add-holding"
      onSubmit={(event) => {
        event.preventDefault();
        setProblem(add(new FormData(event.currentTarget)));
      }}
    >
      {coin ? (
        <button type="button" title="Choose another coin" onClick={() => setCoin(undefined)}>
          {clean(coin.name)} ({clean(coin.symbol)})
        </button>
      ) : (
        <CoinField
          label="Coin"
          placeholder="Coin"
          onPick={({ id, name, symbol }) => {
            setCoin({ id, name, symbol });
            setProblem('');
            form.current?.querySelector<HTMLInputElement>('[name=amount]')?.focus();
          }}
        />
      )}
      {field('amount', 'Amount')}
      {field('cost', `Cost in ${currency.value}`)}
      <button type="submit" class="primary">
        Add
      </button>
      <p class="problem" role="alert">
        {problem}
      </p>
    </form>
  );
}

/** A decimal amount of money that is already in the currency. */
function money(text: string, code: string | undefined): string {
  return formatPrice(Number(text), code);
}
