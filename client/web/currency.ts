import { type Conversion, DOLLAR } from '../commands/currency/conversion.ts';
import { currencies } from '../commands/parse/table.ts';
import type { FailureResult } from '../commands/result.ts';
import { byId, element } from './dom.ts';
import { stored } from './stored.ts';

export interface CurrencyOptions {
  /** From US dollars to a currency by its code in capitals; undefined for the dollar itself. */
  readonly convert: (currency: string) => Promise<Conversion | FailureResult | undefined>;
  /** After the page has got another conversion. */
  readonly onChange: () => void;
  /** Why there is no rate. */
  readonly onFailure: (failure: FailureResult) => void;
}

export interface CurrencySwitch {
  /** From US dollars to what the page shows now; undefined: it shows dollars. */
  readonly conversion: () => Conversion | undefined;
  /** Sees to it that the rate is no older than it may be, and tries again if there was none. */
  refresh(): Promise<void>;
  /** The code of the currency that the reader wants. */
  readonly chosen: () => string;
  choose(currency: string): Promise<void>;
}

const NO_RATE = 'No exchange rate: prices stay in US dollars.';

/** The select with the currency of all prices of the page, which is kept over reloads. Without rates they stay in dollars. */
export function setUpCurrency({ convert, onChange, onFailure }: CurrencyOptions): CurrencySwitch {
  const select = byId('currency', HTMLSelectElement);
  const note = byId('currency-note', HTMLElement);
  const kept = stored(() => localStorage, 'marketdata.currency', currencyIn);
  const names = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
  let wanted = kept.read();
  let current: Conversion | undefined;
  let turn = 0;

  for (const code of currencies.map((each) => each.toUpperCase())) offer(code);
  select.addEventListener('change', () => void choose(select.value));
  offer(wanted);
  select.value = wanted;

  function offer(code: string): void {
    const isOffered = [...select.options].some(({ value }) => value === code);
    if (!isOffered) select.append(element('option', { value: code }, `${code} ${names.of(code) ?? ''}`));
  }

  async function refresh(): Promise<void> {
    turn += 1;
    const own = turn;
    const answer = await convert(wanted);
    if (own !== turn) return; // another one was chosen meanwhile
    const isFailure = answer !== undefined && 'kind' in answer;
    // The last rate of a currency, whose day is told, is better than other prices in the middle of reading.
    if (isFailure && current?.currency === wanted) return;
    const text = isFailure ? NO_RATE : '';
    if (isFailure && note.textContent !== text) onFailure(answer);
    if (note.textContent !== text) note.textContent = text;
    const next = isFailure ? undefined : answer;
    if (next?.currency === current?.currency && next?.rate === current?.rate && next?.day === current?.day) {
      return;
    }
    current = next;
    onChange();
  }

  async function choose(currency: string): Promise<void> {
    wanted = currency;
    kept.write(wanted);
    offer(wanted);
    select.value = wanted;
    await refresh();
  }

  return { conversion: () => current, refresh, chosen: () => wanted, choose };
}

function currencyIn(value: unknown): string {
  return typeof value === 'string' && /^[A-Z]{3}$/.test(value) ? value : DOLLAR;
}
