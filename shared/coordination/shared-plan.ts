import type { PlanMemory } from '../providers/coinpaprika/plan-limits.ts';
import { type SharedTable, TableUnavailable } from './table.ts';

const KEY = 'plan#1';
/** A refusal is good for an hour, and for longer where nobody can be asked. */
const KEEP_S = 7 * 86_400;

/** The plan's refusals in one row, so that not every new container pays for being refused. */
export function sharedPlan(table: SharedTable, now: () => number = Date.now): PlanMemory {
  return {
    async recall() {
      const row = await table.get(KEY).catch(unlessAvailable);
      return Object.fromEntries(
        Object.entries(row ?? {}).flatMap(([name, text]) =>
          name.startsWith('refused_') && typeof text === 'string'
            ? [[name.slice('refused_'.length).replace('_', '/'), text]]
            : [],
        ),
      );
    },
    async remember(name, text) {
      const attribute = `#refused_${name.replace('/', '_')}`;
      await table
        .update(KEY, {
          update: `SET ${attribute} = :text, #expiresAt = :expiry`,
          values: { ':text': text, ':expiry': Math.ceil(now() / 1000) + KEEP_S },
        })
        .catch(unlessAvailable);
    },
  };
}

function unlessAvailable(error: unknown): undefined {
  if (!(error instanceof TableUnavailable)) throw error;
}
