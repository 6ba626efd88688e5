import { symbolOf } from './binance-shapes.ts';
import { productOf } from './coinbase.ts';
import { namesOf } from './kraken.ts';
import type { SimulatedMarket } from './markets.ts';
import type { ExchangeName } from './names.ts';

/** The market as its exchange names it in answers. */
export function marketIdOf(exchange: ExchangeName, market: Pick<SimulatedMarket, 'base' | 'quote'>): string {
  switch (exchange) {
    case 'coinbase':
      return productOf(market);
    case 'kraken':
      return namesOf(market).id;
    case 'binance':
      return symbolOf(market);
  }
}
