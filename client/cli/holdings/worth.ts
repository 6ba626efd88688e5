import type { Api } from '../../commands/api.ts';
import { MAX_HOLDINGS } from '../../commands/portfolio-file.ts';
import type { Holding } from '../config/config.ts';
import { currencyOf } from './change.ts';

/** What a holding is worth by the service's decimals, in the currency that is shown. Null: not known. */
export interface Worth {
  /** As it was typed. */
  readonly amount: string;
  readonly value: number | null;
  readonly cost: number | null;
  readonly profit: number | null;
  readonly profitPercent: number | null;
  /** The currency of the cost, if it was converted from another one at the latest rate. */
  readonly convertedFrom: string | undefined;
}

/** Of a US dollar, by the code of a currency in capitals. */
export type Rates = ReadonlyMap<string, number>;
export type Worths = ReadonlyMap<string, Worth>;

/** The worth of each holding by its coin's id; without a value where the service has none. Never rejects. */
export async function worthsOf(
  holdings: readonly Holding[],
  rates: Rates,
  currency: string,
  api: Api,
): Promise<Worths> {
  const worths = new Map<string, Worth>();
  for (let at = 0; at < holdings.length; at += MAX_HOLDINGS) {
    const page = holdings.slice(at, at + MAX_HOLDINGS).map((holding) => costIn(currency, holding, rates));
    const asked = page.map(({ holding: { id, amount }, cost }) => ({ id, amount, ...(cost && { cost }) }));
    const positions = await api.valuation({ currency, holdings: asked }).then(
      ({ data }) => data.positions,
      () => [],
    );
    for (const [index, { holding, cost, convertedFrom }] of page.entries()) {
      const position = positions.find((each) => each.index === index);
      worths.set(holding.id, {
        amount: holding.amount,
        value: position ? Number(position.value) : null,
        cost: cost === undefined ? null : Number(cost),
        profit: position && position.profit !== null ? Number(position.profit) : null,
        profitPercent: position?.profitPercent ?? null,
        convertedFrom,
      });
    }
  }
  return worths;
}

/** A holding's cost in another currency; left out without a rate. */
function costIn(currency: string, holding: Holding, rates: Rates) {
  const paid = currencyOf(holding);
  if (holding.cost === undefined || paid === currency) return { holding, cost: holding.cost };
  const [from, to] = [rates.get(paid), rates.get(currency)];
  if (from === undefined || to === undefined) return { holding };
  return { holding, cost: ((Number(holding.cost) / from) * to).toFixed(8), convertedFrom: paid };
}

export interface Sum {
  /** Of all that have a price. */
  readonly value: number;
  readonly priced: number;
  /** Of those whose value and cost are both known. */
  readonly profit: number | null;
  readonly profitPercent: number | null;
  /** How many of all count towards the profit. */
  readonly withCost: number;
  readonly count: number;
  /** The currencies that costs were converted from. */
  readonly convertedFrom: readonly string[];
}

/** Undefined without holdings. */
export function sumOf(worths: readonly Worth[]): Sum | undefined {
  if (worths.length === 0) return undefined;
  const complete = worths.filter(({ profit }) => profit !== null);
  const [profit, cost] = [total(complete, 'profit'), total(complete, 'cost')];
  return {
    value: total(worths, 'value'),
    priced: worths.filter(({ value }) => value !== null).length,
    profit: complete.length === 0 ? null : profit,
    profitPercent: cost === 0 ? null : (profit / cost) * 100,
    withCost: complete.length,
    count: worths.length,
    convertedFrom: [...new Set(worths.flatMap(({ convertedFrom = [] }) => convertedFrom))],
  };
}

/** To the hundred-millionth, so that amounts of cents add up to cents. */
function total(worths: readonly Worth[], field: 'value' | 'cost' | 'profit'): number {
  return Number(worths.reduce((sum, worth) => sum + (worth[field] ?? 0), 0).toFixed(8));
}
