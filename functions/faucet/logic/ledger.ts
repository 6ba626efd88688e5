import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { guardedTable } from '../../../shared/coordination/guarded-table.ts';
import type { Address } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { openTable as openSharedTable } from '../../../shared/platform/open-table.ts';
import {
  type Change,
  EXPIRY_ATTRIBUTE,
  expiryAt,
  numberIn,
  type Row,
  rowKey,
  type SharedTable,
  TableUnavailable,
  textIn,
} from '../../../shared/platform/table.ts';
import { DAY_MS } from '../../../shared/platform/time.ts';
import { FAUCET_ROWS, type FaucetNetwork } from '../networks.ts';

/** The time in which an address gets one grant of a network. */
const GRANT_EVERY_MS = DAY_MS;
/** How long the status of a request can be read. */
const KEEP_REQUESTS_MS = 30 * DAY_MS;
const LEASE_MS = 10_000;
const POLL_MS = { from: 30, to: 120 };
/** Every request tries the table: without it there is no grant. */
const TABLE_REST_MS = 0;

export interface GrantRequest {
  /** The request's id, which a repetition with the same `Idempotency-Key` shares. */
  readonly requestId: string;
  readonly network: FaucetNetwork;
  readonly address: Address;
  /** The client's pseudonym. */
  readonly client: string;
}

/** A grant as recorded before its transfer is sent: everything needed to finish it. */
export interface Grant extends GrantRequest {
  /** In ms since the epoch. */
  readonly grantedAt: number;
  /** In wei, as decimal text. */
  readonly amount: string;
  /** The faucet's account. */
  readonly from: Address;
  readonly nonce: number;
  readonly txHash: Hex;
  /** The signed transaction. Sending it again is harmless, because its nonce can be used only once. */
  readonly signed: Hex;
  /** The grants of this UTC day including this one, and the client's among them. */
  readonly ofDay: number;
  readonly ofClient: number;
}

/** The right to make the network's next grant. */
interface Lease {
  readonly holder: string;
  /** The network's last grant. */
  readonly last: Grant | undefined;
  /** False if the maker of the last grant has not recorded it in its rows. */
  readonly isRecorded: boolean;
}

/** The rows' data for a request. */
export interface Standing {
  /** The grant of this request, or of an earlier one with its id. */
  readonly granted: Grant | undefined;
  /** When the address may next receive a grant, in ms since the epoch. */
  readonly nextAt: number;
  /** The grants of this UTC day, and the client's among them. */
  readonly ofDay: number;
  readonly ofClient: number;
}

/**
 * A network's grants. Its sender row holds the lease and the last grant; the rows of addresses, clients, days and
 * requests are derived from the grants, and the holder of the lease records what its predecessor did not.
 */
export class Ledger {
  readonly #table: SharedTable;
  readonly #network: FaucetNetwork;

  constructor(table: SharedTable, network: FaucetNetwork) {
    this.#table = table;
    this.#network = network;
  }

  /** The request's standing, which is final if the lease is held and the last grant recorded. */
  async standing({ requestId, address, client }: GrantRequest, now: number): Promise<Standing> {
    const [granted, ofAddress, ofDay, ofClient] = await Promise.all([
      findGrant(this.#table, requestId),
      this.#table.get(this.#addressKey(address)),
      this.#table.get(this.#dayKey(now)),
      this.#table.get(this.#dayKey(now, client)),
    ]);
    return {
      granted,
      nextAt: numberIn(ofAddress, 'until') ?? 0,
      ofDay: numberIn(ofDay, 'count') ?? 0,
      ofClient: numberIn(ofClient, 'count') ?? 0,
    };
  }

  /** Waits for the lease until `giveUpAt` (ms since the epoch); undefined if others hold it until then. */
  async acquire(giveUpAt: number): Promise<Lease | undefined> {
    const holder = crypto.randomUUID();
    for (;;) {
      const now = Date.now();
      const { applied, row } = await this.#table.update(this.#senderKey, {
        set: { holder, until: now + LEASE_MS },
        // The client may repeat the holder's own write on a new connection.
        when: { any: [{ absent: 'holder' }, ['until', '<=', now], ['holder', '=', holder]] },
      });
      if (applied) return { holder, last: grantIn(row), isRecorded: textIn(row, 'unrecorded') === undefined };
      const pause = POLL_MS.from + Math.random() * (POLL_MS.to - POLL_MS.from);
      if (now + pause >= giveUpAt) return undefined;
      await sleep(pause);
    }
  }

  /**
   * Commits the grant in one write, so that a crash at any time leaves either no grant or one that the next holder of
   * the lease sends and records. False if the lease is lost: then nothing may be sent.
   */
  async commit({ holder }: Lease, grant: Grant): Promise<boolean> {
    const { applied } = await this.#table.update(this.#senderKey, {
      set: { grant: JSON.stringify(grant), unrecorded: grant.requestId },
      when: ['holder', '=', holder],
    });
    return applied;
  }

  /** Writes the rows derived from a committed grant. Writing them twice, or late, changes nothing. */
  async record(grant: Grant): Promise<void> {
    const { requestId, address, client, grantedAt, ofDay, ofClient } = grant;
    const until = grantedAt + GRANT_EVERY_MS;
    await Promise.all([
      this.#raise(this.#dayKey(grantedAt), ofDay, grantedAt),
      this.#raise(this.#dayKey(grantedAt, client), ofClient, grantedAt),
      this.#table.update(requestKey(requestId), {
        set: { grant: JSON.stringify(grant), [EXPIRY_ATTRIBUTE]: expiryAt(grantedAt + KEEP_REQUESTS_MS) },
      }),
    ]);
    // After the request's row, so that a repeated request finds its own grant before the address's limit.
    await this.#table.update(this.#addressKey(address), {
      set: { until, [EXPIRY_ATTRIBUTE]: expiryAt(until) },
    });
    await this.#table.update(this.#senderKey, {
      remove: ['unrecorded'],
      when: ['unrecorded', '=', requestId],
    });
  }

  /** If this fails, the lease expires. */
  async release({ holder }: Lease): Promise<void> {
    const change: Change = { set: { until: 0 }, when: ['holder', '=', holder] };
    await this.#table.update(this.#senderKey, change).catch(() => {});
  }

  /** A count never falls, so an instance that was frozen cannot undo later counts. */
  async #raise(key: string, to: number, now: number): Promise<void> {
    await this.#table.update(key, {
      set: { count: to, [EXPIRY_ATTRIBUTE]: expiryAt(midnightAfter(now)) },
      when: { any: [{ absent: 'count' }, ['count', '<', to]] },
    });
  }

  get #senderKey(): string {
    return rowKey(FAUCET_ROWS, 'sender', this.#network);
  }

  #addressKey(address: Address): string {
    return rowKey(FAUCET_ROWS, 'address', this.#network, address.toLowerCase());
  }

  #dayKey(now: number, ...client: readonly string[]): string {
    return rowKey(FAUCET_ROWS, 'day', this.#network, Math.floor(now / DAY_MS), ...client);
  }
}

/** The grant of a request; undefined if there is none. */
export async function findGrant(table: SharedTable, requestId: string): Promise<Grant | undefined> {
  return grantIn(await table.get(requestKey(requestId)));
}

export function midnightAfter(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}

const tables = new Map<string, SharedTable>();

/** Throws the 500 of a wrong configuration if there is no table: without one the faucet would have no limits. */
export function openTable(name: string | undefined): SharedTable {
  if (!name) throw ApiError.serverConfiguration('The faucet needs SHARED_TABLE');
  const known = tables.get(name);
  if (known) return known;
  const table = guardedTable(() => openSharedTable(name), TABLE_REST_MS);
  tables.set(name, table);
  return table;
}

/** A handler for `catch` that maps a failure of the table to 503, and rethrows everything else unchanged. */
export function throwUnavailable(error: unknown): never {
  if (!(error instanceof TableUnavailable)) throw error;
  throw new ApiError(503, 'The faucet is not available at the moment; try again later', { cause: error });
}

function grantIn(row: Row | undefined): Grant | undefined {
  const text = textIn(row, 'grant');
  return text === undefined ? undefined : (JSON.parse(text) as Grant); // written by `commit` and `record`
}

const requestKey = (requestId: string): string => rowKey(FAUCET_ROWS, 'request', requestId);
