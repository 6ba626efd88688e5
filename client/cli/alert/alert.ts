import { coinTitle } from '../../commands/coins.ts';
import { converted } from '../../commands/currency.ts';
import { formatPrice } from '../../commands/format/numbers.ts';
import { clean, type Line, plainText, span } from '../../commands/format/text.ts';
import { csvText, pricedJson, priceRecord } from '../../commands/output.ts';
import { UsageError } from '../../commands/parse/words.ts';
import type { PriceResult } from '../../commands/result.ts';
import { runCommand } from '../../commands/run.ts';
import { defaultProtocol, sourceLine } from '../../commands/sources.ts';
import { textFor } from '../ansi.ts';
import { start } from '../open.ts';
import type { RunOwn } from '../print.ts';
import { DOES_NOT_HOLD, type OutputFormat, TRY_LATER } from '../settings.ts';
import type { Terminal, Variables } from '../terminal.ts';
import { CANCELLED } from '../wait.ts';
import { isLasting, rounds } from '../watch/rounds.ts';
import { type Condition, conditionOf, conditionText, holds } from './condition.ts';

const TITLE = 'Price alert';
const BELL = '\u0007';

/**
 * Waits until a condition holds, reports it and exits with 0; `--once` checks once. Stale, disputed or out-of-date
 * prices do not count.
 */
export const runAlert: RunOwn = async ({ positional, values }, { contextOf, settings }, terminal) => {
  const [symbol, ...rest] = positional;
  if (symbol === undefined) throw new UsageError("Missing symbol: cprice alert BTC '>170000'");
  const condition = conditionOf(rest, symbol);
  const isOnce = values.has('once');
  const { interrupt, stderr, env } = terminal;
  const command = {
    name: 'price',
    symbols: [symbol],
    protocol: defaultProtocol,
    currency: values.get('currency')?.toUpperCase(),
  } as const;
  const say = (...lines: Line[]) => stderr.write(textFor(stderr, env, lines));

  let reason: string | undefined;
  let isAnnounced = isOnce || stderr.isTTY !== true;
  const options = { seconds: Number(values.get('every') ?? 0), signal: interrupt };
  for await (const round of rounds(() => runCommand(command, contextOf(interrupt)), options)) {
    const { result, failures } = round;
    if (result.kind === 'failure') {
      if (isOnce || isLasting(result)) return result;
      if (failures === 1) say(...result.lines, [span('Retrying until the service responds.', 'muted')]);
    }
    if (result.kind !== 'price') continue;
    const doubt = doubtOf(condition, result);
    if (doubt === undefined && holds(condition, result)) {
      const text = alertText(condition, result);
      terminal.stdout.write(dataOf(condition, result, settings.format) ?? `${text}\n`);
      notify(text, terminal);
      return 0;
    }
    if (!isAnnounced)
      say([span(`Waiting for ${condition.text}: ${statusText(result)}. Ctrl-C ends.`, 'muted')]);
    isAnnounced = true;
    // A reason to wait is reported once, until it changes.
    if (doubt !== undefined && doubt !== reason) say([span(`No alert yet: ${doubt}`, 'muted')]);
    reason = doubt;
    if (isOnce) return doubt === undefined ? DOES_NOT_HOLD : TRY_LATER;
  }
  return CANCELLED;
};

/** Why a price does not count, in words; undefined if it does. */
export function doubtOf(condition: Condition, result: PriceResult): string | undefined {
  const { prices, conversion } = result;
  const [priced] = prices;
  if (!priced) return 'there is no price';
  const { quality, outdatedMs } = priced.provenance;
  if (quality === 'stale')
    return 'the price is stale, its provider cannot be reached; waiting for a newer one';
  if (quality === 'disputed') return 'exchanges dispute the price; waiting until they agree';
  if (outdatedMs !== undefined) return 'the price is out of date; waiting for a newer one';
  const rates = conversion?.provenance;
  if (rates && (rates.quality === 'stale' || rates.outdatedMs !== undefined))
    return 'the exchange rate is out of date; waiting for a newer one';
  if (holds(condition, result) !== undefined) return undefined;
  return condition.period ? `the change of ${condition.period} is not known` : 'the price is not known';
}

/** `Bitcoin (BTC) is at $170,123.00, above $170,000.00 (One, as of 12:03 UTC)`. */
export function alertText(condition: Condition, result: PriceResult, now = Date.now()): string {
  const { prices, conversion } = result;
  const [priced] = prices;
  if (!priced) return '';
  const source = plainText([sourceLine(priced.provenance, { now, conversion })]);
  return `${statusText(result)}, ${conditionText(condition, result)} (${source})`;
}

/** `Bitcoin (BTC) is at $170,123.00`. */
function statusText({ prices: [priced], conversion }: PriceResult): string {
  if (!priced) return '';
  const price = formatPrice(converted(priced.data.quotes.USD.price, conversion), conversion?.currency);
  return `${coinTitle(priced.data)} is at ${price}`;
}

/** The data of `cprice` with the condition that holds, as JSON in one line; undefined for text output. */
function dataOf(
  { text }: Condition,
  { prices: [priced], conversion }: PriceResult,
  format: OutputFormat,
): string | undefined {
  if (!priced || format === 'table') return undefined;
  if (format !== 'csv') return `${JSON.stringify({ condition: text, ...pricedJson(priced, conversion) })}\n`;
  const record = { condition: text, ...priceRecord(priced, conversion) };
  return csvText({ columns: Object.keys(record), records: [record] });
}

/** Rings the terminal's bell and shows a desktop notification. Never fails: the text is printed anyway. */
function notify(text: string, { env, stdout, stderr }: Terminal): void {
  [stdout, stderr].find(({ isTTY }) => isTTY === true)?.write(BELL);
  start(desktopCommand(clean(text), env, process.platform), env);
}

/** The desktop's notification program with its arguments; empty without a desktop. They do not pass through a shell. */
export function desktopCommand(message: string, env: Variables, platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') {
    const script = 'on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run';
    return ['osascript', '-e', script, TITLE, message];
  }
  if (platform === 'linux' && (env.DISPLAY || env.WAYLAND_DISPLAY)) {
    // Desktops may render the body as markup (Desktop Notifications Specification).
    const body = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return ['notify-send', '--app-name=marketdata', '--', TITLE, body];
  }
  return [];
}
