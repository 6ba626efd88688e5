import { type Holding, MAX_HOLDINGS } from '../commands/portfolio-file.ts';
import type { Api } from '../commands/provenance.ts';

/** A holding's value in the service's decimals, in the shown currency. Null: unknown. */
export interface Worth {
  /** The amount as typed. */
  readonly amount: string;
  readonly value: number | null;
  readonly cost: number | null;
  readonly profit: number | null;
  readonly profitPercent: number | null;
  /** The currency of the cost, if it was converted at the latest rate. */
  readonly convertedFrom: string | undefined;
}

/** Units per US dollar, by currency code in capitals. */
export type Rates = ReadonlyMap<string, number>;
export type Worths = ReadonlyMap<string, Worth>;

/** The value of each holding by its coin's id; null where the service has none. Never rejects. */
export async function worthsOf(
  holdings: readonly Holding[],
  rates: Rates,
  currency: string,
  api: Api,
): Promise<Worths> {
  const worths = new Map<string, Worth>();
  for (let at = 0; at < holdings.length; at += MAX_HOLDINGS) {
    const page = holdings.slice(at, at + MAX_HOLDINGS).map((holding) => costIn(currency, holding, rates));
    const fields = page.map(({ id, amount, cost }) => ({ id, amount, cost }));
    const positions = await api.valuation({ currency, holdings: fields }).then(
      ({ data }) => data.positions,
      () => [],
    );
    for (const [index, { id, amount, cost, convertedFrom }] of page.entries()) {
      const position = positions.find((each) => each.index === index);
      worths.set(id, {
        amount,
        value: numberIn(position?.value),
        cost: numberIn(cost),
        profit: numberIn(position?.profit),
        profitPercent: position?.profitPercent ?? null,
        convertedFrom,
      });
    }
  }
  return worths;
}

/** A holding with its cost in another currency; without a cost if there is no rate. */
function costIn(currency: string, { id, amount, ...paid }: Holding, rates: Rates) {
  const cost = paid.cost;
  const from = currencyOf({ id, amount, ...paid });
  if (cost === undefined || from === currency) return { id, amount, cost };
  const before = rates.get(from);
  const after = rates.get(currency);
  if (before === undefined || after === undefined) return { id, amount };
  return { id, amount, cost: ((Number(cost) / before) * after).toFixed(8), convertedFrom: from };
}

function numberIn(decimal: string | null | undefined): number | null {
  return decimal === null || decimal === undefined ? null : Number(decimal);
}

/** The value and profit of all holdings together; undefined without holdings. */
export function sumOf(worths: readonly Worth[]) {
  if (worths.length === 0) return undefined;
  const complete = worths.filter(({ profit }) => profit !== null);
  const profit = total(complete, 'profit');
  const cost = total(complete, 'cost');
  return {
    /** The value of all holdings with a price. */
    value: total(worths, 'value'),
    priced: worths.filter(({ value }) => value !== null).length,
    /** The profit of the holdings whose value and cost are both known. */
    profit: complete.length === 0 ? null : profit,
    profitPercent: cost === 0 ? null : (profit / cost) * 100,
    /** How many holdings the profit includes. */
    withCost: complete.length,
    count: worths.length,
    /** The currencies that their costs were converted from. */
    convertedFrom: [...new Set(complete.flatMap(({ convertedFrom = [] }) => convertedFrom))],
  };
}

/** The sum of a field, rounded to eight decimals, so that amounts in cents add up to cents. */
function total(worths: readonly Worth[], field: 'value' | 'cost' | 'profit'): number {
  return Number(worths.reduce((sum, worth) => sum + (worth[field] ?? 0), 0).toFixed(8));
}

/** The currency of a holding's cost, in capitals. */
export function currencyOf({ currency = 'usd' }: Holding): string {
  return currency.toUpperCase();
}
