import type { ChartResult } from '../../commands/result.ts';
import { shownChart } from '../../commands/shown-chart.ts';

const HEADER = 'time_open,open,high,low,close,volume,coin,currency,source,quality';

/**
 * The candles of a card as RFC 4180 has CSV, those of compared coins below: times in ISO 8601 UTC, prices and volumes as they are
 * shown, in the currency of their column, volumes beside bitcoin prices in dollars; empty for an unknown volume.
 */
export function csvOf(result: ChartResult): string {
  const { command, conversion } = result;
  const rows = [result, ...result.compared].flatMap((candles) => {
    const { series, quote, provenance } = shownChart({ ...candles, command, conversion });
    const { sources, isSimulated, quality } = provenance;
    const source = [...sources, ...(isSimulated ? ['simulated'] : [])].join(' ');
    return series.map(({ time, open, high, low, close, volume }) => [
      new Date(time * 1000).toISOString(),
      ...[open, high, low, close, volume ?? ''].map(String),
      candles.coin.id,
      quote.toUpperCase(),
      source,
      quality,
    ]);
  });
  return [HEADER, ...rows.map((row) => row.map(field).join(','))].map((line) => `${line}\r\n`).join('');
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
