import { formatPercent } from '../../commands/format/numbers.ts';
import { toneOf } from '../../commands/format/price.ts';
import { type Line, span, wrapped } from '../../commands/format/text.ts';
import { formatInstant } from '../../commands/format/time.ts';
import { conversionText } from '../../commands/sources.ts';
import { type Sum, sumOf } from '../holdings.ts';
import { formatMoney, signed } from './columns.ts';
import { brokenLine } from './fit.ts';
import type { Loaded } from './load.ts';
import { markNames, marks, type WatchRow } from './rows.ts';

/** What all holdings are worth together, with remarks, in lines of `width` cells; none without holdings. */
export function sumLines(rows: readonly WatchRow[], currency: string | undefined, width: number): Line[] {
  const sum = sumOf(rows.flatMap(({ worth }) => (worth ? [worth] : [])));
  if (!sum) return [];
  const profit = signed(sum.profit, currency);
  const percent = sum.profitPercent === null ? '' : ` (${formatPercent(sum.profitPercent)})`;
  const line = [
    span('Sum ', 'muted'),
    span(formatMoney(sum.value, currency), 'strong'),
    ...(sum.profit === null
      ? []
      : [span('  profit ', 'muted'), span(`${profit.text}${percent}`, toneOf(sum.profit))]),
  ];
  const remarks = sumRemarks(sum);
  return [
    ...brokenLine(line, width),
    ...(remarks === '' ? [] : wrapped(remarks, width).map((text): Line => [span(text, 'muted')])),
  ];
}

function sumRemarks({ count, priced, withCost, convertedFrom }: Sum): string {
  const remarks = [
    ...(priced < count ? [`${count - priced} of ${count} without a price`] : []),
    ...(withCost > 0 && withCost < count ? [`profit of the ${withCost} with a cost`] : []),
    ...(convertedFrom.length > 0 ? [`cost in ${convertedFrom.join(' and ')} at today's rate`] : []),
  ];
  return remarks.length === 0 ? '' : `Sum: ${remarks.join('; ')}.`;
}

/** In words what the rows' letters mean, and where the rate of the currency is from. */
export function noteTexts(rows: readonly WatchRow[], loaded: Loaded, now: number): string[] {
  const { conversion, isDefault } = loaded;
  const told = markNames.filter((mark) => rows.some((row) => row.marks.includes(mark)));
  return [
    ...(told.length > 0 ? [`${told.map((mark) => `${mark} ${marks[mark]}`).join('; ')}.`] : []),
    ...(conversion ? [`Prices ${conversionText(conversion, now)}; changes are those in USD.`] : []),
    ...(isDefault ? ['These are the ten largest coins: your list is empty.'] : []),
  ];
}

/** `as of 12:03 UTC`, of the newest price; undefined if none has a time. */
export function timeText(loaded: Loaded, now: number): string | undefined {
  const time = newestTime(loaded);
  return time === undefined ? undefined : `as of ${formatInstant(time, now)}`;
}

/** When the newest price was made, in milliseconds since the epoch; undefined if none has a time. */
export function newestTime({ coins }: Loaded): number | undefined {
  const times = coins.flatMap((coin) =>
    'error' in coin || coin.provenance.madeAt === undefined ? [] : [coin.provenance.madeAt],
  );
  return times.length === 0 ? undefined : Math.max(...times);
}
