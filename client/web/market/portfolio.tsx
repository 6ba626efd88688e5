import { useRef, useState } from 'preact/hooks';
import { formatPercent } from '../../commands/format/numbers.ts';
import { toneOf } from '../../commands/format/price.ts';
import { clean } from '../../commands/format/text.ts';
import { isAmount, MAX_HOLDINGS } from '../../commands/portfolio-file.ts';
import type { MarketdataValuationData } from '../../sdk/index.ts';
import { isOld, useFeed } from '../app/feed.ts';
import { Bone, Change, CoinLink, Failure, IconButton } from '../app/parts.tsx';
import { api, currency, loadedOf, loading, notify } from '../app/session.ts';
import { download } from '../app/stored.ts';
import { CoinField } from '../search/coin-field.tsx';
import { exportText, type Held, holdings, importText } from './keeps.tsx';

type Position = MarketdataValuationData['positions'][number];

/** What the reader holds, valued by the service in decimals. */
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
  const valuation = useFeed(JSON.stringify(input), () =>
    loading('The portfolio', async () =>
      input.holdings.length === 0
        ? { value: undefined, provenance: undefined }
        : loadedOf<MarketdataValuationData | undefined>(await api.valuation(input)),
    ),
  );
  const loaded = valuation.loaded.value;
  const data = loaded?.value;
  const failure = valuation.failure.value;
  const otherCurrency = held.find(
    ({ cost, currency: paidIn }) => cost !== undefined && paidIn !== code,
  )?.currency;
  return (
    <div class="market">
      <div class="view-head">
        <h1>Portfolio</h1>
        <FileButtons />
      </div>
      {failure && <Failure failure={failure} name="the portfolio" onRetry={() => void valuation.refresh()} />}
      {held.length > 0 && <Total data={data} />}
      <AddHolding />
      {held.length === 0 ? (
        <p class="empty">
          Nothing here yet. Add what you hold above, or import a file. It stays in this browser; the service
          only values it.
        </p>
      ) : (
        <table class={`coins holdings ${loaded?.provenance && isOld(loaded.provenance) ? 'old' : ''}`}>
          <caption class="visually-hidden">What you hold and what it is worth</caption>
          <thead>
            <tr>
              <th scope="col" class="coin">
                Coin
              </th>
              <th scope="col">Amount</th>
              <th scope="col" class="price">
                Price
              </th>
              <th scope="col">Value</th>
              <th scope="col" class="day">
                24h
              </th>
              <th scope="col" class="week">
                Profit
              </th>
              <th scope="col" class="hour">
                Share
              </th>
              <th scope="col">
                <span class="visually-hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {held.map((holding, index) => (
              <HoldingRow
                key={holding.id}
                holding={holding}
                position={data?.positions.find(
                  (position) => position.index === index && position.id === holding.id,
                )}
                problem={data?.missing.find((missing) => missing.index === index)?.message}
              />
            ))}
          </tbody>
        </table>
      )}
      {otherCurrency && (
        <p class="empty">Some costs are in {otherCurrency}: choose that currency to see their profits.</p>
      )}
    </div>
  );
}

function Total({ data }: { readonly data: MarketdataValuationData | undefined }) {
  const change = data?.change24hPercent ?? null;
  return (
    <dl class="figures">
      <div>
        <dt>Worth</dt>
        <dd>{data ? money(data.total, data.currency) : <Bone />}</dd>
      </div>
      <div>
        <dt>24h</dt>
        <dd class={toneOf(change)}>{data ? formatPercent(change) : <Bone />}</dd>
      </div>
      {data && !data.isComplete && (
        <div>
          <dt>Not counted</dt>
          <dd>{data.missing.length}</dd>
        </div>
      )}
    </dl>
  );
}

interface HoldingRowProps {
  readonly holding: Held;
  readonly position: Position | undefined;
  readonly problem: string | undefined;
}

function HoldingRow({ holding, position, problem }: HoldingRowProps) {
  const coin = position ?? holding;
  const code = currency.value;
  const change = (next: readonly Held[]) => {
    holdings.value = next;
  };
  const remove = () => {
    const before = holdings.peek();
    change(before.filter(({ id }) => id !== holding.id));
    notify(`${clean(coin.name)} removed from the portfolio`, () => change(before));
  };
  return (
    <tr>
      <th scope="row" class="coin">
        <CoinLink
          coin={{ id: holding.id, name: coin.name, symbol: coin.symbol }}
          note={problem && 'no price'}
        />
      </th>
      <td>
        <input
          class="amount"
          inputMode="decimal"
          aria-label={`Amount of ${clean(coin.name)}`}
          value={holding.amount}
          onChange={(event) => {
            const amount = event.currentTarget.value.trim();
            if (isAmount(amount))
              change(holdings.peek().map((each) => (each.id === holding.id ? { ...each, amount } : each)));
            else {
              event.currentTarget.value = holding.amount;
              notify('An amount is a number above zero with a point, such as 0.25.');
            }
          }}
        />
      </td>
      <td class="price">{position ? money(position.price, code) : problem ? '–' : <Bone />}</td>
      <td title={problem}>{position ? money(position.value, code) : problem ? '–' : <Bone />}</td>
      <td class="day">{position && <Change percent={position.change24hPercent} />}</td>
      <td class="week">{position?.profit && <Profit position={position} code={code} />}</td>
      <td class="hour">{position?.sharePercent != null && `${position.sharePercent.toFixed(1)}%`}</td>
      <td>
        <IconButton glyph="remove" label={`Remove ${clean(coin.name)}`} onClick={remove} />
      </td>
    </tr>
  );
}

function Profit({ position, code }: { readonly position: Position; readonly code: string }) {
  const { profit, profitPercent } = position;
  return (
    <>
      {money(profit ?? '0', code)} <Change percent={profitPercent} />
    </>
  );
}

/** Adds a holding: a coin, how much of it, and what it cost. */
function AddHolding() {
  const [coin, setCoin] = useState<Pick<Held, 'id' | 'name' | 'symbol'>>();
  const [problem, setProblem] = useState('');
  const amount = useRef<HTMLInputElement>(null);
  const costField = useRef<HTMLInputElement>(null);

  function add(): void {
    const [given, paid] = [amount.current?.value.trim() ?? '', costField.current?.value.trim() ?? ''];
    const refusal = refusalOf(given, paid);
    setProblem(refusal ?? '');
    if (refusal !== undefined || !coin) return;
    const cost = paid === '' ? {} : { cost: paid, currency: currency.peek() };
    holdings.value = [...holdings.peek(), { ...coin, amount: given, ...cost }];
    setCoin(undefined);
    for (const field of [amount.current, costField.current]) if (field) field.value = '';
  }

  function refusalOf(given: string, paid: string): string | undefined {
    const before = holdings.peek();
    if (!coin) return 'Choose a coin first.';
    if (!isAmount(given)) return 'The amount is a number above zero with a point, such as 0.25.';
    if (paid !== '' && !isAmount(paid)) return 'The cost is a number with a point, such as 15000.';
    if (before.some(({ id }) => id === coin.id)) return `${coin.name} is there already: change its amount.`;
    return before.length >= MAX_HOLDINGS ? `At most ${MAX_HOLDINGS} holdings.` : undefined;
  }

  return (
    <form
      class="add-holding"
      onSubmit={(event) => {
        event.preventDefault();
        add();
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
            amount.current?.focus();
            return undefined;
          }}
        />
      )}
      <input ref={amount} class="amount" inputMode="decimal" aria-label="Amount" placeholder="Amount" />
      <input
        ref={costField}
        class="amount"
        inputMode="decimal"
        aria-label={`Cost in ${currency.value}`}
        placeholder={`Cost in ${currency.value}`}
      />
      <button type="submit" class="primary">
        Add
      </button>
      <p class="problem" role="alert">
        {problem}
      </p>
    </form>
  );
}

/** Export and import of watchlist and holdings. */
export function FileButtons() {
  const file = useRef<HTMLInputElement>(null);
  return (
    <div class="file-buttons">
      <button
        type="button"
        onClick={() => download(new Blob([exportText()], { type: 'application/json' }), 'portfolio.json')}
      >
        Export
      </button>
      <button type="button" onClick={() => file.current?.click()}>
        Import
      </button>
      <input
        ref={file}
        type="file"
        accept=".json,application/json"
        hidden
        aria-label="File to import"
        onChange={async (event) => {
          const [chosen] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (!chosen) return;
          try {
            importText(await chosen.text());
          } catch (error) {
            notify(error instanceof Error ? error.message : String(error));
          }
        }}
      />
    </div>
  );
}

/** A decimal amount of money that is in the currency already. */
function money(text: string, code: string): string {
  const amount = Number(text);
  const digits = Math.abs(amount) >= 1 || amount === 0 ? undefined : { maximumSignificantDigits: 4 };
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: code,
    currencyDisplay: 'narrowSymbol',
    ...digits,
  }).format(amount);
}
