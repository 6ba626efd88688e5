import type { PlanMemory } from '../marketdata/provider-client.ts';
import { rowKey, type SharedTable, unlessAvailable } from './table.ts';

/** A refusal is good for an hour, and for longer if nobody can be asked. */
const KEEP_S = 7 * 86_400;
const PREFIX = 'refused_';

/** A provider's refusals in one row, so that not every new container pays for being refused. */
export function planMemory(table: SharedTable, provider: string, now: () => number = Date.now): PlanMemory {
  const key = rowKey(provider, 'plan');
  return {
    async recall() {
      const row = await table.get(key).catch(unlessAvailable);
      return Object.fromEntries(
        Object.entries(row ?? {}).flatMap(([name, text]) =>
          name.startsWith(PREFIX) && typeof text === 'string' ? [[name.slice(PREFIX.length), text]] : [],
        ),
      );
    },
    async remember(name, text) {
      const change = {
        update: `SET #${PREFIX}${name} = :text, #expiresAt = :expiry`,
        values: { ':text': text, ':expiry': Math.ceil(now() / 1000) + KEEP_S },
      };
      await table.update(key, change).catch(unlessAvailable);
    },
  };
}
