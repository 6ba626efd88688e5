import { type Address, GWEI } from '../../../shared/evm/values.ts';
import {
  EXPIRY_ATTRIBUTE,
  numberIn,
  rowKey,
  type SharedTable,
  textIn,
} from '../../../shared/platform/table.ts';
import { DAY_MS } from '../../../shared/platform/time.ts';
import { count } from '../metrics.ts';
import { FAUCET_ROWS, type FaucetNetwork, faucetNetworks, faucets } from '../networks.ts';
import { CLIENT_GRANTS_A_DAY, GRANT_EVERY_MS, KEEP_REQUESTS_MS } from './rules.ts';

/** What was claimed for a grant, and so what its failure gives back. */
export interface ClaimedGrant {
  readonly requestId: string;
  readonly address: Address;
  /** The client's pseudonym. */
  readonly client: string;
  /** In ms since the epoch: its day is the one on which the grant counts. */
  readonly claimedAt: number;
}

/** A grant that is committed: its transfer is signed and will be sent, by whoever comes next if need be. */
export interface GrantRecord extends ClaimedGrant {
  readonly network: FaucetNetwork;
  readonly amount: bigint; // in wei
  /** Of its first version. */
  readonly txHash: string;
  /** Of every version that is known, the newest last; the ledger may know more until it is settled. */
  readonly hashes: readonly string[];
  readonly nonce: number;
  /** The faucet's account. */
  readonly from: Address;
  /** The first version as signed: sending it again does no harm, its nonce is used once. */
  readonly signed: string;
  /** Another transaction has its nonce for good, and its claim was given back. */
  readonly isLost: boolean;
}

interface Refused {
  readonly granted: false;
  readonly retryAt: number;
}
type Claim = { readonly granted: true } | Refused;
/** `holder` is the request that has the claim; whether it is one of this account of the faucet's. */
type AddressClaim =
  | { readonly granted: true }
  | (Refused & { readonly holder: string; readonly isOfAccount: boolean });

const seconds = (ms: number) => Math.ceil(ms / 1000);
const dayOf = (time: number) => Math.floor(time / DAY_MS);

/** Grants by address, client and day: rows of the shared table, written under a condition before anything is sent. */
export class Grants {
  readonly #table: SharedTable;
  readonly #network: FaucetNetwork;

  constructor(table: SharedTable, network: FaucetNetwork) {
    this.#table = table;
    this.#network = network;
  }

  /**
   * Takes the address's grant of the next 24 hours for the request, if it is still to be had. `from` is the faucet's
   * account, in whose ledger its transfer will be.
   */
  async claim(grant: ClaimedGrant, from: Address): Promise<AddressClaim> {
    const { address, requestId, claimedAt } = grant;
    const { applied, row } = await this.#table.update(
      this.#addressKey(address),
      claimOf(grant, from, 'attribute_not_exists(#request) OR #until <= :now', { ':now': claimedAt }),
    );
    const holder = textIn(row, 'request');
    // Refused because of itself: the write was repeated on a new connection.
    if (applied || holder === undefined || holder === requestId) return { granted: true };
    const retryAt = numberIn(row, 'until') ?? claimedAt + GRANT_EVERY_MS;
    return { granted: false, retryAt, holder, isOfAccount: textIn(row, 'from') === from };
  }

  /**
   * Makes sure, with the lease of the account's ledger held, that the claim is the request's, or takes it over from
   * `holder`, for which nothing is committed. False if it is somebody else's by now.
   */
  async keepClaim(grant: ClaimedGrant, from: Address, holder: string): Promise<boolean> {
    const change = claimOf(grant, from, '#request = :holder', { ':holder': holder });
    const { applied, row } = await this.#table.update(this.#addressKey(grant.address), change);
    return applied || textIn(row, 'request') === grant.requestId;
  }

  /** Gives a claim back; only for a request of which nothing was or can be mined. False if it was given back before. */
  async release({ address, requestId }: ClaimedGrant): Promise<boolean> {
    const { applied } = await this.#table.update(this.#addressKey(address), {
      update: 'SET #until = :zero',
      condition: '#request = :request AND #until > :zero',
      values: { ':zero': 0, ':request': requestId },
    });
    return applied;
  }

  /** Counts one grant of the client on its day. */
  countClient({ client, claimedAt }: ClaimedGrant): Promise<Claim> {
    return this.#add(this.#clientKey(client, claimedAt), 1, CLIENT_GRANTS_A_DAY, claimedAt);
  }

  /** Counts the amount of one grant to what goes out of the faucet on its day. */
  countDay({ claimedAt }: ClaimedGrant): Promise<Claim> {
    const most = Number(faucets[this.#network].perDay / GWEI);
    return this.#add(this.#dayKey(claimedAt), this.#gwei, most, claimedAt);
  }

  /** Takes back all that was claimed for a grant of which nothing was committed. */
  async undo(grant: ClaimedGrant): Promise<void> {
    await this.release(grant);
    await this.uncountClient(grant);
    await this.#subtract(this.#dayKey(grant.claimedAt), this.#gwei, 'last', grant.requestId);
  }

  async uncountClient({ client, claimedAt, requestId }: ClaimedGrant): Promise<void> {
    await this.#subtract(this.#clientKey(client, claimedAt), 1, 'last', requestId);
  }

  /**
   * Gives back what was claimed for a committed grant that can never be mined. Each row takes it back once, whoever says so
   * and how often; so whoever dies in between has done no harm, and the next one does the rest.
   */
  async giveBack(grant: ClaimedGrant): Promise<void> {
    const { requestId, client, claimedAt } = grant;
    const released = await this.release(grant);
    const mark = `back_${requestId.replaceAll('-', '')}`;
    await this.#subtract(this.#clientKey(client, claimedAt), 1, mark, requestId);
    await this.#subtract(this.#dayKey(claimedAt), this.#gwei, mark, requestId);
    const { applied, row } = await this.#table.update(requestKey(requestId), {
      update: 'SET #lost = :one',
      condition: 'attribute_exists(#nonce) AND attribute_not_exists(#lost)',
      values: { ':one': 1 },
    });
    // A claim ends in a day, and somebody may notice later. Only of a grant that was not saved there is nothing else.
    const isFirst = applied || (released && numberIn(row, 'nonce') === undefined);
    if (isFirst) count('FaucetNonceLost');
  }

  async save(record: Omit<GrantRecord, 'hashes' | 'isLost'>, now: number): Promise<void> {
    const { requestId, network, address, amount, txHash, nonce, from, signed, client, claimedAt } = record;
    await this.#table.update(requestKey(requestId), {
      update: `SET #network = :network, #address = :address, #amount = :amount, #txHash = :txHash, #nonce = :nonce,
        #from = :from, #signed = :signed, #client = :client, #claimedAt = :claimedAt, #${EXPIRY_ATTRIBUTE} = :expiry`,
      values: {
        ':network': network,
        ':address': address,
        ':amount': String(amount),
        ':txHash': txHash,
        ':nonce': nonce,
        ':from': from,
        ':signed': signed,
        ':client': client,
        ':claimedAt': claimedAt,
        ':expiry': seconds(now + KEEP_REQUESTS_MS),
      },
    });
  }

  /**
   * Writes down all versions of a mined transfer. Also if the request was not saved (yet): without all of them, its loss
   * could be believed too early.
   */
  async saveVersions(requestId: string, hashes: readonly string[], now: number): Promise<void> {
    await this.#table.update(requestKey(requestId), {
      update: `SET #hashes = :hashes, #${EXPIRY_ATTRIBUTE} = :expiry`,
      values: { ':hashes': hashes.join(' '), ':expiry': seconds(now + KEEP_REQUESTS_MS) },
    });
  }

  /** Adds to a day's sum, unless that would pass `most`. */
  async #add(key: string, by: number, most: number, now: number): Promise<Claim> {
    const midnight = (dayOf(now) + 1) * DAY_MS;
    const { applied } = await this.#table.update(key, {
      update: `SET #count = if_not_exists(#count, :zero) + :by, #${EXPIRY_ATTRIBUTE} = :expiry`,
      condition: 'attribute_not_exists(#count) OR #count <= :room',
      values: { ':zero': 0, ':by': by, ':room': most - by, ':expiry': seconds(midnight) },
    });
    return applied ? { granted: true } : { granted: false, retryAt: midnight };
  }

  /** Takes from a day's sum, unless the mark says that the request has done so: the write may come twice. */
  async #subtract(key: string, by: number, mark: string, requestId: string): Promise<void> {
    await this.#table.update(key, {
      update: `SET #count = #count - :by, #${mark} = :request`,
      condition: `#count >= :by AND (attribute_not_exists(#${mark}) OR #${mark} <> :request)`,
      values: { ':by': by, ':request': requestId },
    });
  }

  /** One grant: wei in whole would be too large for a number. */
  get #gwei(): number {
    return Number(faucets[this.#network].amount / GWEI);
  }

  #addressKey(address: Address): string {
    return rowKey(FAUCET_ROWS, 'address', this.#network, address.toLowerCase());
  }

  #clientKey(client: string, now: number): string {
    return rowKey(FAUCET_ROWS, 'client', this.#network, dayOf(now), client);
  }

  #dayKey(now: number): string {
    return rowKey(FAUCET_ROWS, 'day', this.#network, dayOf(now));
  }
}

function claimOf(
  { requestId, claimedAt }: ClaimedGrant,
  from: Address,
  condition: string,
  values: Readonly<Record<`:${string}`, string | number>>,
) {
  const until = claimedAt + GRANT_EVERY_MS;
  return {
    update: `SET #request = :request, #until = :until, #from = :from, #${EXPIRY_ATTRIBUTE} = :expiry`,
    condition,
    values: { ...values, ':request': requestId, ':until': until, ':from': from, ':expiry': seconds(until) },
  };
}

/** The record of a committed grant; undefined if there is none of this id. */
export async function findGrant(table: SharedTable, requestId: string): Promise<GrantRecord | undefined> {
  const row = await table.get(requestKey(requestId));
  const text = (name: string) => textIn(row, name) ?? '';
  const nonce = numberIn(row, 'nonce');
  const network = faucetNetworks.find((name) => name === row?.network);
  if (nonce === undefined || !network) return undefined;
  const txHash = text('txHash');
  return {
    requestId,
    network,
    // Addresses that `save` wrote.
    address: text('address') as Address,
    from: text('from') as Address,
    amount: BigInt(text('amount')),
    txHash,
    hashes: textIn(row, 'hashes')?.split(' ') ?? [txHash],
    nonce,
    signed: text('signed'),
    client: text('client'),
    claimedAt: numberIn(row, 'claimedAt') ?? 0,
    isLost: row?.lost !== undefined,
  };
}

/** What `saveVersions` wrote, also of a request that was not saved. */
export async function savedVersions(table: SharedTable, requestId: string): Promise<readonly string[]> {
  return textIn(await table.get(requestKey(requestId)), 'hashes')?.split(' ') ?? [];
}

const requestKey = (requestId: string): string => rowKey(FAUCET_ROWS, 'request', requestId);
