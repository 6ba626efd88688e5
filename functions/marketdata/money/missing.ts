import { ApiError } from '../../../shared/http/errors.ts';
import type { RatesAtHand } from '../../../shared/marketdata/rates/euro-rates.ts';
import { type Worth, worthOfCurrency } from './worth.ts';

/** Throws 503 if no rate of the currency is at hand. */
export function worthOrOutage(code: string, rates: RatesAtHand | undefined, now: number): Worth {
  const worth = worthOfCurrency(code, rates, now);
  if (worth) return worth;
  throw new ApiError(503, `No exchange rate of ${code} is at hand; ask for USD, or try again later`);
}

/** Of a coin without a price, with what to do about it. */
export function noPrice(id: string): string {
  return `No price of ${id} is at hand; /api/marketdata/ticker/${encodeURIComponent(id)} asks for it`;
}
