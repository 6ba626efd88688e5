import { UsageError } from '../../commands/parse/usage-error.ts';
import type { Holding } from '../config/config.ts';
import { type Decimal, decimalOf, dividedBy, minus, plus, textOf, times } from '../decimal.ts';
import type { HoldExpression } from './expression.ts';

const ZERO: Decimal = { units: 0n, scale: 0 };
/** Of a cost without a currency. */
const DOLLAR = 'usd';

type Change = Pick<HoldExpression, 'change' | 'amount' | 'price'>;

/**
 * A holding after a change, in exact decimals; undefined if nothing is left. What is added adds its cost, so the average is
 * weighted. What is taken away leaves the average as it is, to 18 decimals. Throws UsageError.
 */
export function changedHolding(
  id: string,
  former: Holding | undefined,
  { change, amount, price }: Change,
  currency: string,
): Holding | undefined {
  const cost = price && times(amount, price);
  if (change === 'set') {
    const { amount: _amount, cost: _cost, currency: _currency, ...rest } = former ?? {};
    return holdingOf({ ...rest, id }, amount, cost, currency);
  }
  if (change === 'add') {
    if (!former) return holdingOf({ id }, amount, cost, currency);
    return added(former, amount, cost, currency);
  }
  return taken(id, former, amount);
}

/** What one cost on average; undefined if it is not known. */
export function averageCost({ amount, cost }: Holding): string | undefined {
  return cost === undefined ? undefined : textOf(dividedBy(known(cost), known(amount)));
}

/** The currency of a holding's cost, in capitals. */
export function currencyOf({ currency = DOLLAR }: Holding): string {
  return currency.toUpperCase();
}

function added(former: Holding, amount: Decimal, cost: Decimal | undefined, currency: string) {
  const total = plus(known(former.amount), amount);
  if (former.cost === undefined && cost === undefined) return { ...former, amount: textOf(total) };
  if (former.cost === undefined)
    throw new UsageError(`What you have of ${former.id} has no cost yet: set all of it at its average price`);
  if (cost === undefined)
    throw new UsageError(`Say what it cost, as in +${textOf(amount)} @ 65000; @ 0 for a gift`);
  if (currencyOf(former) !== currency.toUpperCase()) {
    const kept = currencyOf(former);
    throw new UsageError(
      `The cost of ${former.id} is in ${kept}, not in ${currency.toUpperCase()}: add --currency ${kept}`,
    );
  }
  return { ...former, amount: textOf(total), cost: textOf(plus(known(former.cost), cost)) };
}

function taken(id: string, former: Holding | undefined, amount: Decimal): Holding | undefined {
  const held = former ? known(former.amount) : ZERO;
  const left = minus(held, amount);
  if (!former || left.units < 0n)
    throw new UsageError(`You have ${textOf(held)} of ${id}, not ${textOf(amount)}`);
  if (left.units === 0n) return undefined;
  if (former.cost === undefined) return { ...former, amount: textOf(left) };
  const cost = dividedBy(times(known(former.cost), left), held);
  return { ...former, amount: textOf(left), cost: textOf(cost) };
}

function holdingOf(
  rest: Pick<Holding, 'id'>,
  amount: Decimal,
  cost: Decimal | undefined,
  currency: string,
): Holding | undefined {
  if (amount.units === 0n) return undefined;
  const priced = cost && { cost: textOf(cost), currency: currency.toLowerCase() };
  return { ...rest, amount: textOf(amount), ...priced };
}

/** Of a text that was checked when it was read. */
function known(text: string): Decimal {
  return decimalOf(text) ?? ZERO;
}
