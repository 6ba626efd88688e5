import type { KindOfObjects } from './objects.ts';
import type { Completeness, Status } from './status.ts';

const number = new Intl.NumberFormat('en');

/** The status for people, a line for each thing. */
export function statusText(status: Status, objects?: readonly KindOfObjects[]): string {
  const lines: [name: string, text: string][] = [
    ['bucket', status.bucket],
    ['newest hour', status.hoursUntil ? `over at ${status.hoursUntil}` : 'none of today or yesterday'],
    ['last day rolled up', status.rolledUpThrough ?? 'none yet'],
    ['coins of the snapshot', coinsText(status.snapshotCoins, 'no samples of today or yesterday')],
    ['active coins', coinsText(status.activeCoins, 'not told: neither a published registry nor a built one')],
    ['requests a day', `${number.format(status.requestsADay)} if callers need no more than the rest`],
  ];
  for (const { kind, objects: count, bytes } of objects ?? []) {
    const size = bytes === undefined ? 'bytes not told by this server' : `${number.format(bytes)} bytes`;
    lines.push([`objects ${kind}`, `${number.format(count)}, ${size}`]);
  }
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${name.padEnd(width)}  ${text}`).join('\n');
}

function coinsText(coins: Completeness | null, otherwise: string): string {
  if (!coins) return otherwise;
  const { complete, all, by } = coins;
  const counted = `${number.format(complete)} of ${number.format(all)} complete`;
  if (complete === all) return counted;
  return by ? `${counted}, the rest by ${by}` : `${counted}, the rest never: nothing is left over for it`;
}
