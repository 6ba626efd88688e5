import { refuseUnknown } from '../../../shared/http/middleware/body.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { amountPattern, amountWords } from '../money/decimal.ts';
import type { Holding } from './holding.ts';

const holdingFields = ['id', 'symbol', 'amount', 'cost'];
const AMOUNT = new RegExp(amountPattern);

/**
 * Checks here what the schema leaves open, so that an error says which of 200 holdings is meant. Throws 400 for an amount
 * or a cost that is none, and for a field that nobody knows: with `Cost` left out the valuation would be one of
 * something else.
 */
export function checkHoldings(holdings: readonly Holding[]): void {
  for (const [index, holding] of holdings.entries()) {
    const place = `holdings/${index}`;
    refuseUnknown(holding, holdingFields, place);
    const { amount, cost = '0' } = holding;
    if (!AMOUNT.test(amount)) throw invalidParameter(`${place}/amount`, amount, amountWords);
    if (!AMOUNT.test(cost)) throw invalidParameter(`${place}/cost`, cost, amountWords);
  }
}
