import { setTimeout as sleep } from 'node:timers/promises';
import { numberIn, type Row, type SharedTable, textIn } from '../../../shared/coordination/table.ts';

/** The right to sign the next transfers of one key, and what is known of those on their way. */
export interface Lease {
  readonly holder: string;
  /** The nonce that follows the last committed one; undefined at the first transfer ever. */
  readonly next: number | undefined;
  /** Signed and committed transfers that may not be mined yet, by nonce. */
  readonly unmined: ReadonlyMap<number, string>;
}

const LEASE_MS = 10_000;
const POLL_MS = { from: 30, to: 120 };

/**
 * One row for each signing key: who may sign (a lease), the next nonce, and every transfer that is not mined yet. A
 * transfer is committed to it before it is sent, under the condition that the lease is still held; so whatever
 * dies when, no nonce is given twice, none is left out, and whoever comes next sends what is missing.
 */
export class Ledger {
  readonly #table: SharedTable;
  readonly #key: string;

  constructor(table: SharedTable, network: string, signer: string) {
    this.#table = table;
    this.#key = `faucet#ledger#${network}#${signer.toLowerCase()}`;
  }

  /** Waits for the lease until `giveUpAt` (ms since the epoch); undefined if others hold it for so long. */
  async acquire(holder: string, giveUpAt: number): Promise<Lease | undefined> {
    for (;;) {
      const now = Date.now();
      const { applied, row } = await this.#table.update(this.#key, {
        update: 'SET #holder = :holder, #until = :until',
        condition: 'attribute_not_exists(#holder) OR #until <= :now OR #holder = :holder',
        values: { ':holder': holder, ':until': now + LEASE_MS, ':now': now },
      });
      if (applied) return { holder, next: numberIn(row, 'next'), unmined: unminedIn(row) };
      const pause = POLL_MS.from + Math.random() * (POLL_MS.to - POLL_MS.from);
      if (now + pause >= giveUpAt) return undefined;
      await sleep(pause);
    }
  }

  /** Writes down a signed transfer, forgets those below `minedBelow`. If false the lease is lost: do not send. */
  async commit(lease: Lease, nonce: number, signed: string, minedBelow: number): Promise<boolean> {
    const mined = [...lease.unmined.keys()].filter((known) => known < minedBelow && known !== nonce);
    const forget = mined.length > 0 ? ` REMOVE ${mined.map((known) => `#t${known}`).join(', ')}` : '';
    const isFirst = lease.next === undefined;
    const { applied, row } = await this.#table.update(this.#key, {
      update: `SET #t${nonce} = :signed, #next = :after${forget}`,
      condition: `#holder = :holder AND ${isFirst ? 'attribute_not_exists(#next)' : '#next = :next'}`,
      values: {
        ':signed': signed,
        ':after': Math.max(nonce + 1, lease.next ?? 0),
        ':holder': lease.holder,
        ...(isFirst ? {} : { ':next': lease.next }),
      },
    });
    // Refused because of itself: the write was repeated on a new connection.
    return applied || textIn(row, `t${nonce}`) === signed;
  }

  /** Lets the next one sign. If that fails, the lease ends by itself. */
  async release({ holder }: Lease): Promise<void> {
    const change = {
      update: 'SET #until = :zero',
      condition: '#holder = :holder',
      values: { ':zero': 0, ':holder': holder },
    };
    await this.#table.update(this.#key, change).catch(() => {});
  }
}

function unminedIn(row: Row | undefined): Map<number, string> {
  return new Map(
    Object.entries(row ?? {}).flatMap(([name, value]) => {
      const [, nonce] = /^t(\d+)$/.exec(name) ?? [];
      return nonce !== undefined && typeof value === 'string' ? [[Number(nonce), value]] : [];
    }),
  );
}
