import { currencies } from '../parse/table.ts';

/** How amounts of a currency are written. */
export interface Notation {
  /** In front of the digits, with a space behind letters: `€`, `CHF `. */
  readonly prefix: string;
  /** Of its smallest coin: 2 for cents, 0 for yen. */
  readonly decimals: number;
}

type Display = 'narrowSymbol' | 'symbol';

const known = new Map<string, Notation>();

/** The notation of a currency by its ISO 4217 code, in any case. */
export function notationOf(code: string): Notation {
  let notation = known.get(code);
  if (!notation) {
    const symbol = symbolOf(code);
    notation = {
      prefix: /\p{L}$/u.test(symbol) ? `${symbol} ` : symbol,
      decimals: formatOf(code, 'symbol').resolvedOptions().maximumFractionDigits ?? 2,
    };
    known.set(code, notation);
  }
  return notation;
}

/**
 * The short symbol, unless it would be taken for another currency's: `$` is six currencies', `kr` four. Then the longer
 * one, of which there is one each: `CA$`, `SEK`.
 */
function symbolOf(code: string): string {
  const short = symbolIn(code, 'narrowSymbol');
  const isShared = currencies.some(
    (other) => other !== code.toLowerCase() && symbolIn(other, 'narrowSymbol') === short,
  );
  return isShared ? symbolIn(code, 'symbol') : short;
}

function symbolIn(code: string, display: Display): string {
  return (
    formatOf(code, display)
      .formatToParts(0)
      .find(({ type }) => type === 'currency')?.value ?? code
  );
}

function formatOf(currency: string, currencyDisplay: Display): Intl.NumberFormat {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency, currencyDisplay });
}
