import type { Coin } from './coins.ts';
import type { Conversion } from './currency/conversion.ts';
import { plainText } from './format/text.ts';
import type { Provenance } from './provenance.ts';
import type { ChartResult, CoinCandles, FailureResult, PriceResult, SearchResult } from './result.ts';
import type { KnownTicker } from './tickers.ts';

export type DataResult = PriceResult | ChartResult | SearchResult;

/**
 * What `--json` prints: the service's data as it came, its prices in what the service told them in, with `_meta` beside
 * it: where it comes from, how good it is, and which coin was taken. With a currency that data has one more field,
 * `conversion`, by which a reader multiplies what is in US dollars. An array if several coins were asked for, those that
 * have no price as errors at its end.
 */
export function jsonOf(result: DataResult): unknown {
  if (result.kind === 'search') {
    const { source, dataTime, simulated } = metaOf(result.provenance);
    return { ...result.data, _meta: { source, dataTime, simulated } };
  }
  const conversion = conversionField(result.conversion);
  const all =
    result.kind === 'chart'
      ? [result, ...result.compared].map((candles) => ({
          ...candles.data,
          ...conversion,
          _meta: { ...metaOf(candles.provenance, candles.coin), request: requestOf(result, candles) },
        }))
      : [
          ...result.prices.map((priced) => pricedJson(priced, result.conversion)),
          ...result.missing.map((failure) => errorOf(failure)),
        ];
  return all.length === 1 ? all[0] : all;
}

/** A coin's ticker as the service told it, with `conversion` and `_meta`. */
export function pricedJson({ data, provenance }: KnownTicker, conversion: Conversion | undefined) {
  return { ...data, ...conversionField(conversion), _meta: metaOf(provenance, data) };
}

/** What is printed of a failure where the output is JSON: the first line is the message, the lines that follow are the hint. */
export function errorOf({ reason, lines, retryAfterSeconds }: FailureResult) {
  const [message = [], ...others] = lines;
  const hint = others.map((line) => plainText([line]).trim()).join('\n');
  return {
    error: {
      reason,
      message: plainText([message]),
      ...(hint && { hint }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  };
}

/** All who had a part in it, `simulated` among them. */
export function sourceOf({ sources, isSimulated }: Provenance): string {
  return [...sources, ...(isSimulated ? ['simulated'] : [])].join(',');
}

/** ISO 8601; null if it is not known. */
export function dataTimeOf({ madeAt }: Provenance): string | null {
  return madeAt === undefined ? null : new Date(madeAt).toISOString();
}

/** In whole seconds; undefined for an answer within its lifetime. */
export function outdatedSecondsOf({ outdatedMs }: Provenance): number | undefined {
  return outdatedMs === undefined ? undefined : Math.floor(outdatedMs / 1000);
}

function metaOf(provenance: Provenance, coin?: Pick<Coin, 'id' | 'symbol'>) {
  const outdatedSeconds = outdatedSecondsOf(provenance);
  return {
    ...(coin && { id: coin.id, symbol: coin.symbol }),
    source: sourceOf(provenance),
    quality: provenance.quality,
    dataTime: dataTimeOf(provenance),
    simulated: provenance.isSimulated,
    ...(outdatedSeconds !== undefined && { outdatedSeconds }),
  };
}

function requestOf({ command }: ChartResult, { data: { interval, quote } }: CoinCandles) {
  return { ...command.range, interval, quote };
}

function conversionField(conversion: Conversion | undefined) {
  if (!conversion) return {};
  const { currency, rate, day, provenance } = conversion;
  const { quality } = provenance;
  return { conversion: { from: 'USD', to: currency, rate, day, source: sourceOf(provenance), quality } };
}
