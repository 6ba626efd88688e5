import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { amountPattern, amountWords } from '../money/decimal.ts';
import type { Holding } from './holding.ts';

const bodyFields = ['holdings', 'currency'];
const holdingFields = ['id', 'symbol', 'amount', 'cost'];
const AMOUNT = new RegExp(amountPattern);

/**
 * Checks here what the schema leaves open, so that an error says which of 200 holdings is meant. Throws 400 for an amount
 * or a cost that is none, and for a field that nobody knows: with `curency` or `Cost` left out the valuation would be one
 * of something else.
 */
export function checkBody(body: object, holdings: readonly Holding[]): void {
  refuseUnknown(body, bodyFields, 'the body');
  for (const [index, holding] of holdings.entries()) {
    const place = `holdings/${index}`;
    refuseUnknown(holding, holdingFields, place);
    const { amount, cost = '0' } = holding;
    if (!AMOUNT.test(amount)) throw invalidParameter(`${place}/amount`, amount, amountWords);
    if (!AMOUNT.test(cost)) throw invalidParameter(`${place}/cost`, cost, amountWords);
  }
}

function refuseUnknown(given: object, fields: readonly string[], place: string): void {
  const unknown = Object.keys(given).find((name) => !fields.includes(name));
  if (unknown === undefined) return;
  const shown = JSON.stringify(unknown.slice(0, 80));
  throw new ApiError(400, `Unknown field ${shown} in ${place}; allowed: ${fields.join(', ')}`);
}
