import { displayWidth, type Line, plainText, shortened, span } from '../../commands/format/text.ts';
import { formatWait } from '../../commands/format/time.ts';
import type { FailureResult } from '../../commands/result.ts';
import type { Loaded } from './load.ts';
import type { ScreenContext, WatchView } from './mode.ts';
import { newestTime, timeText } from './notes.ts';
import { sorts } from './sort.ts';

/** Currency, order and address; time and age of the prices, and when the next come; why they are old, or nothing. */
export function headerLines({ feed, sort }: WatchView, width: number, context: ScreenContext): Line[] {
  const { baseUrl, currency = 'USD', now } = context;
  const { loaded, failure, isLoading, nextAt } = feed;
  const first = ['Market data', currency, ...(sort === 'own' ? [] : [`by ${sorts[sort]}`]), baseUrl];
  const time = loaded && timeText(loaded, now);
  const when = isLoading ? 'asking …' : `${failure ? 'again' : 'next'} in ${countdown(nextAt - now)}`;
  const age = failure && loaded ? [ageText(loaded, now)] : [];
  const second = fitting([...(time ? [time] : []), ...age, when], width);
  const third = failure && loaded ? [span(shortened(reasonOf(failure), width), 'error')] : [];
  return [titled(first, width), [span(second, 'muted')], third];
}

/** Of the newest price, if newer ones cannot be had. */
function ageText(loaded: Loaded, now: number): string {
  const madeAt = newestTime(loaded);
  return madeAt === undefined
    ? 'old prices'
    : `${formatWait(Math.max(0, Math.floor((now - madeAt) / 1000)))} old`;
}

/** The first line of a failure. */
function reasonOf({ lines }: FailureResult): string {
  return plainText(lines.slice(0, 1));
}

function titled([title = '', ...rest]: readonly string[], width: number): Line {
  const others = fitting([title, ...rest], width).slice(title.length);
  return [span(title, 'strong'), span(others, 'muted')];
}

/** As many of the parts as fit, in their order. */
function fitting(parts: readonly string[], width: number): string {
  let text = '';
  for (const part of parts) {
    const longer = text === '' ? part : `${text}  ${part}`;
    if (displayWidth(longer) <= width) text = longer;
  }
  return text;
}

/** `9:41` or `0:07`; never below zero. */
function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
