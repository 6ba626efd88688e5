import { DOLLAR } from '../../commands/currency.ts';
import { priceMissing } from '../../commands/failure.ts';
import { csvText, errorOf, pricedJson, priceRecord } from '../../commands/output.ts';
import type { OutputFormat } from '../settings.ts';
import { idOf, type Loaded } from './load.ts';
import type { WatchRow } from './rows.ts';

/** The list for programs: what `cprice` prints of its coins in this format, with what is held of each. */
export function dataText(
  loaded: Loaded,
  rows: readonly WatchRow[],
  format: Exclude<OutputFormat, 'table'>,
): string {
  if (format === 'json') return `${JSON.stringify(jsonOf(loaded, rows), null, 2)}\n`;
  const records = recordsOf(loaded, rows);
  if (format === 'ndjson') return records.map((record) => `${JSON.stringify(record)}\n`).join('');
  return csvText({ columns: Object.keys(records[0] ?? {}), records });
}

function jsonOf({ coins, conversion }: Loaded, rows: readonly WatchRow[]): unknown {
  const currency = conversion?.currency ?? DOLLAR;
  return rows.flatMap(({ id, worth }): object[] => {
    const coin = coins.find((other) => idOf(other) === id);
    if (!coin) return [];
    if ('error' in coin) return [{ id, ...errorOf(priceMissing(coin)) }];
    return [{ ...pricedJson(coin, conversion), ...(worth && { holding: { ...worth, currency } }) }];
  });
}

/** Coins that have no price are left out, as `cprice` does it. */
function recordsOf({ coins, conversion }: Loaded, rows: readonly WatchRow[]) {
  return rows.flatMap(({ id, worth }) => {
    const coin = coins.find((other) => idOf(other) === id);
    if (!coin || 'error' in coin) return [];
    const { amount = null, value = null, cost = null } = worth ?? {};
    return [
      { ...priceRecord(coin, conversion), amount: amount === null ? null : Number(amount), value, cost },
    ];
  });
}
