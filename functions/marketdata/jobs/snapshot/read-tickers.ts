import { array, object } from '../../../../shared/providers/coinpaprika/shapes.ts';
import { readTicker, type Ticker } from '../../../../shared/providers/coinpaprika/ticker.ts';

export interface ReadTickers {
  readonly tickers: readonly Ticker[];
  /** Rows that are left out: which, and why. */
  readonly unreadable: readonly string[];
}

/** Reads the list of all tickers, row by row. Throws an Error where it is no list. */
export function readTickers(json: unknown): ReadTickers {
  const tickers = new Map<string, Ticker>();
  const unreadable: string[] = [];
  for (const [position, row] of array(json, 'the list of tickers').entries()) {
    try {
      const ticker = readTicker(row);
      if (tickers.has(ticker.id)) throw new Error('its id came before');
      tickers.set(ticker.id, ticker);
    } catch (error) {
      unreadable.push(`${nameOf(row, position)}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return { tickers: [...tickers.values()], unreadable };
}

function nameOf(row: unknown, position: number): string {
  try {
    const { id } = object(row, 'the row');
    if (typeof id === 'string') return id;
  } catch {
    // without an id its position names it
  }
  return `row ${position}`;
}
