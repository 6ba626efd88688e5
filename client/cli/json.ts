import type { ChartResult, PriceResult, SearchResult } from '../commands/result.ts';

/**
 * What `--json` prints: the service's data as it came, its prices in what the service told them in. With a currency that
 * data has one more field, `conversion`, by which a reader multiplies what is in US dollars.
 */
export function jsonOf(result: PriceResult | ChartResult | SearchResult): unknown {
  const { data } = result;
  if (result.kind === 'search' || !result.conversion) return data;
  const { currency, rate, day, provenance } = result.conversion;
  const { sources, isSimulated, quality } = provenance;
  const source = [...sources, ...(isSimulated ? ['simulated'] : [])].join(',');
  return { ...data, conversion: { from: 'USD', to: currency, rate, day, source, quality } };
}
