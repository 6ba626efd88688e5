import { setTimeout as sleep } from 'node:timers/promises';
import { numberIn, type Row, rowKey, type SharedTable, textIn } from '../../../shared/platform/table.ts';
import { FAUCET_ROWS } from '../networks.ts';
import { type Details, readDetails, writeDetails } from './details.ts';

/** A committed transfer, until it is settled. */
export interface Committed {
  /** Its newest version. */
  readonly signed: string | undefined;
  /** Undefined: committed by a version of this service that did not write them down. */
  readonly details: Details | undefined;
}

export interface LedgerState {
  /** The nonce that follows the last committed one; undefined at the first transfer ever. */
  readonly next: number | undefined;
  /** The committed transfers that are not settled, by nonce. */
  readonly transfers: ReadonlyMap<number, Committed>;
}

/** The right to sign the next transfers of one key, and what is known of those on their way. */
export interface Lease extends LedgerState {
  readonly holder: string;
}

/** Another version of a committed transfer. */
export interface Version {
  readonly nonce: number;
  readonly signed: string;
  readonly details: Details;
}

const LEASE_MS = 10_000;
/** A lease that ends later than this was given by a clock that ran ahead: to wait for it would be to stand still. */
const LONGEST_MS = 60_000;
const POLL_MS = { from: 30, to: 120 };

/**
 * One row for each signing key: who may sign (a lease), the next nonce, and every transfer that is not settled yet. A
 * transfer, and every further version of it, is committed to it before it is sent, under the condition that the lease is
 * still held; so whatever dies when, no nonce is given twice, none is left out, and whoever comes next sends what is
 * missing.
 */
export class Ledger {
  readonly #table: SharedTable;
  readonly #key: string;

  constructor(table: SharedTable, network: string, signer: string) {
    this.#table = table;
    this.#key = rowKey(FAUCET_ROWS, 'ledger', network, signer.toLowerCase());
  }

  /** What it says now, to whoever does not want to sign. */
  async look(): Promise<LedgerState> {
    return stateIn(await this.#table.get(this.#key));
  }

  /** Waits for the lease until `giveUpAt` (ms since the epoch); undefined if others hold it for so long. */
  async acquire(holder: string, giveUpAt: number): Promise<Lease | undefined> {
    for (;;) {
      const now = Date.now();
      const { applied, row } = await this.#table.update(this.#key, {
        update: 'SET #holder = :holder, #until = :until',
        condition:
          'attribute_not_exists(#holder) OR #until <= :now OR #until > :longest OR #holder = :holder',
        values: { ':holder': holder, ':until': now + LEASE_MS, ':now': now, ':longest': now + LONGEST_MS },
      });
      if (applied) return { holder, ...stateIn(row) };
      const pause = POLL_MS.from + Math.random() * (POLL_MS.to - POLL_MS.from);
      if (now + pause >= giveUpAt) return undefined;
      await sleep(pause);
    }
  }

  /** Writes down a new transfer, and forgets settled ones. If false the lease is lost: do not send. */
  commit(lease: Lease, version: Version, settled: readonly number[]): Promise<boolean> {
    const forgotten = settled.flatMap((nonce) =>
      nonce === version.nonce ? [] : [`#t${nonce}`, `#g${nonce}`],
    );
    const forget = forgotten.length > 0 ? ` REMOVE ${forgotten.join(', ')}` : '';
    const next = Math.max(version.nonce + 1, lease.next ?? 0);
    return this.#write(lease, [version], `#next = :after${forget}`, { ':after': next });
  }

  /** Writes down further versions of transfers, which also extends the lease. If false it is lost: do not send. */
  replace(lease: Lease, versions: readonly Version[]): Promise<boolean> {
    return this.#write(lease, versions, '#until = :until', { ':until': Date.now() + LEASE_MS });
  }

  async #write(
    { holder, next }: Lease,
    versions: readonly Version[],
    more: string,
    values: Readonly<Record<`:${string}`, number>>,
  ): Promise<boolean> {
    const sets = versions.map(({ nonce }) => `#t${nonce} = :t${nonce}, #g${nonce} = :g${nonce}`);
    const { applied, row } = await this.#table.update(this.#key, {
      update: `SET ${sets.join(', ')}, ${more}`,
      condition: `#holder = :holder AND ${next === undefined ? 'attribute_not_exists(#next)' : '#next = :next'}`,
      values: {
        ...values,
        ...Object.fromEntries(
          versions.flatMap(({ nonce, signed, details }) => [
            [`:t${nonce}`, signed],
            [`:g${nonce}`, writeDetails(details)],
          ]),
        ),
        ':holder': holder,
        ...(next === undefined ? {} : { ':next': next }),
      },
    });
    // Refused because of itself: the write was repeated on a new connection. Two requests may sign the same transfer.
    return (
      applied || versions.every(({ nonce, details }) => textIn(row, `g${nonce}`) === writeDetails(details))
    );
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

function stateIn(row: Row | undefined): LedgerState {
  const nonces = Object.keys(row ?? {}).flatMap((name) => {
    const [, nonce] = /^[tg](\d+)$/.exec(name) ?? [];
    return nonce === undefined ? [] : [Number(nonce)];
  });
  const transfers = [...new Set(nonces)]
    .sort((a, b) => a - b)
    .map((nonce): [number, Committed] => {
      const details = textIn(row, `g${nonce}`);
      return [
        nonce,
        { signed: textIn(row, `t${nonce}`), details: details ? readDetails(details) : undefined },
      ];
    });
  return { next: numberIn(row, 'next'), transfers: new Map(transfers) };
}
