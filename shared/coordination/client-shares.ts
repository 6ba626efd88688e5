import { putBounded } from '../platform/caches.ts';
import { EXPIRY_ATTRIBUTE, expiryAt, rowKey, type SharedTable, unlessAvailable } from '../platform/table.ts';
import { clientShare, type Plan } from './allowance.ts';

/** The shares to return that are remembered here. */
const MAX_OWED = 1_000;

interface Options {
  readonly table: SharedTable;
  readonly provider: string;
  readonly plan: Plan;
}

/** The upstream requests that each client has caused this hour, in a row for each client and hour. */
export class ClientShares {
  readonly #options: Options;
  /** The rows that still count a request that was not sent, because the table failed. */
  readonly #owed = new Map<string, true>();

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Counts a request; false if the client has used up its share of the hour. A crash before the request is sent wastes one of
   * the share, and so does a write that is repeated on a new connection.
   */
  async take(client: string, now: number): Promise<boolean> {
    const { table, plan } = this.#options;
    const { endsAt, most } = clientShare(plan, now);
    const key = this.#rowKey(client, now);
    if (this.#owed.delete(key)) return true;
    const { applied } = await table.update(key, {
      update: `SET #spent = if_not_exists(#spent, :zero) + :one, #${EXPIRY_ATTRIBUTE} = :expiry`,
      condition: 'attribute_not_exists(#spent) OR #spent < :most',
      values: { ':zero': 0, ':one': 1, ':most': most, ':expiry': expiryAt(endsAt) },
    });
    return applied;
  }

  /** Takes back the count of a request that is not sent; if the table fails, the client's next one here is free. */
  async giveBack(client: string, takenAt: number): Promise<void> {
    const key = this.#rowKey(client, takenAt);
    const change = {
      update: 'SET #spent = #spent - :one',
      condition: '#spent > :zero',
      values: { ':zero': 0, ':one': 1 },
    };
    await this.#options.table.update(key, change).catch((error: unknown) => {
      unlessAvailable(error);
      putBounded(this.#owed, key, true, MAX_OWED);
    });
  }

  #rowKey(client: string, now: number): string {
    const { provider, plan } = this.#options;
    return rowKey(provider, 'share', clientShare(plan, now).hour, client);
  }
}
