import type { Conversion } from '../currency/conversion.ts';
import { titleOf } from '../sources.ts';
import { clean } from './text.ts';

/** `in EUR at the rate of 20 November (European Central Bank)`, and whether that is simulated or too old. */
export function conversionText({ currency, day, provenance }: Conversion, now: number): string {
  const { sources, isSimulated, quality, outdatedMs } = provenance;
  const remarks = [
    ...sources.map((source) => (titleOf(source) ?? clean(source)).replace(/^The /, '')),
    ...(isSimulated ? ['simulated'] : []),
    ...(quality === 'stale' || outdatedMs !== undefined ? ['out of date: newer rates are missing'] : []),
  ];
  const told = remarks.length > 0 ? ` (${remarks.join(', ')})` : '';
  return `in ${currency} at the rate of ${dayText(day, now)}${told}`;
}

/** `20 November`, with the year if that is not the one of `now`. */
function dayText(day: string, now: number): string {
  const date = new Date(day);
  if (Number.isNaN(date.getTime())) return clean(day);
  const isThisYear = date.getUTCFullYear() === new Date(now).getUTCFullYear();
  return date.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
    ...(!isThisYear && { year: 'numeric' }),
  });
}
