import type { ChartResult, PriceResult, SearchResult } from '../commands/result.ts';

/**
 * What `--json` prints: the service's data as it came, its prices in what the service told them in. With a currency that
 * data has one more field, `conversion`, by which a reader multiplies what is in US dollars.
 */
export function jsonOf(result: PriceResult | ChartResult | SearchResult): unknown {
  const data = dataOf(result);
  if (result.kind === 'search' || !result.conversion) return data;
  const { currency, rate, day, provenance } = result.conversion;
  const { sources, isSimulated, quality } = provenance;
  const source = [...sources, ...(isSimulated ? ['simulated'] : [])].join(',');
  const conversion = { from: 'USD', to: currency, rate, day, source, quality };
  return Array.isArray(data) ? data.map((each) => ({ ...each, conversion })) : { ...data, conversion };
}

function dataOf(result: PriceResult | ChartResult | SearchResult) {
  if (result.kind !== 'price') return result.data;
  const [first, ...others] = result.prices.map(({ data }) => data);
  return others.length === 0 ? first : [first, ...others];
}
