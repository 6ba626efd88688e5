import { EXPIRY_ATTRIBUTE, numberIn, type SharedTable, textIn } from '../../../shared/coordination/table.ts';
import type { Address } from '../../../shared/evm/address.ts';
import { type FaucetNetwork, faucetNetworks } from '../networks.ts';
import { CLIENT_GRANTS_A_DAY, GRANT_EVERY_MS, KEEP_REQUESTS_MS } from './rules.ts';

/** A grant that is committed: its transfer is signed and will be sent, by whoever comes next if need be. */
export interface GrantRecord {
  readonly requestId: string;
  readonly network: FaucetNetwork;
  readonly address: Address;
  readonly amount: bigint; // in wei
  readonly txHash: string;
  readonly nonce: number;
  /** The faucet's account. */
  readonly from: Address;
  /** The signed transaction: sending it again does no harm, its nonce is used once. */
  readonly signed: string;
}

type Claim = { readonly granted: true } | { readonly granted: false; readonly retryAt: number };

const DAY_MS = 86_400_000;
const seconds = (ms: number) => Math.ceil(ms / 1000);

/** Past grants by address and client: rows of the shared table, each written under a condition before anything is sent. */
export class Grants {
  readonly #table: SharedTable;
  readonly #network: FaucetNetwork;

  constructor(table: SharedTable, network: FaucetNetwork) {
    this.#table = table;
    this.#network = network;
  }

  /** Takes the address's grant of the next 24 hours for the request, if it is still to be had. */
  async claim(address: Address, requestId: string, now: number): Promise<Claim> {
    const { applied, row } = await this.#table.update(this.#addressKey(address), {
      update: `SET #request = :request, #until = :until, #${EXPIRY_ATTRIBUTE} = :expiry`,
      condition: 'attribute_not_exists(#request) OR #until <= :now',
      values: {
        ':request': requestId,
        ':until': now + GRANT_EVERY_MS,
        ':now': now,
        ':expiry': seconds(now + GRANT_EVERY_MS),
      },
    });
    // Refused because of itself: the write was repeated on a new connection.
    const granted = applied || textIn(row, 'request') === requestId;
    return granted ? { granted } : { granted, retryAt: numberIn(row, 'until') ?? now + GRANT_EVERY_MS };
  }

  /** Gives a claim back; only for a request of which nothing was committed. */
  async release(address: Address, requestId: string): Promise<void> {
    await this.#table.update(this.#addressKey(address), {
      update: 'SET #until = :zero',
      condition: '#request = :request',
      values: { ':zero': 0, ':request': requestId },
    });
  }

  /** Counts one grant of a client today. */
  async count(client: string, now: number): Promise<Claim> {
    const midnight = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
    const { applied } = await this.#table.update(this.#clientKey(client, now), {
      update: `SET #count = if_not_exists(#count, :zero) + :one, #${EXPIRY_ATTRIBUTE} = :expiry`,
      condition: 'attribute_not_exists(#count) OR #count < :most',
      values: { ':zero': 0, ':one': 1, ':most': CLIENT_GRANTS_A_DAY, ':expiry': seconds(midnight) },
    });
    return applied ? { granted: true } : { granted: false, retryAt: midnight };
  }

  async uncount(client: string, now: number): Promise<void> {
    await this.#table.update(this.#clientKey(client, now), {
      update: 'SET #count = #count - :one',
      condition: '#count > :zero',
      values: { ':zero': 0, ':one': 1 },
    });
  }

  async save(record: GrantRecord, now: number): Promise<void> {
    const { requestId, network, address, amount, txHash, nonce, from, signed } = record;
    await this.#table.update(requestKey(requestId), {
      update: `SET #network = :network, #address = :address, #amount = :amount, #txHash = :txHash,
        #nonce = :nonce, #from = :from, #signed = :signed, #${EXPIRY_ATTRIBUTE} = :expiry`,
      values: {
        ':network': network,
        ':address': address,
        ':amount': String(amount),
        ':txHash': txHash,
        ':nonce': nonce,
        ':from': from,
        ':signed': signed,
        ':expiry': seconds(now + KEEP_REQUESTS_MS),
      },
    });
  }

  #addressKey(address: Address): string {
    return `faucet#address#${this.#network}#${address.toLowerCase()}`;
  }

  #clientKey(client: string, now: number): string {
    return `faucet#client#${this.#network}#${Math.floor(now / DAY_MS)}#${client}`;
  }
}

/** The record of a committed grant; undefined if there is none of this id. */
export async function findGrant(table: SharedTable, requestId: string): Promise<GrantRecord | undefined> {
  const row = await table.get(requestKey(requestId));
  const text = (name: string) => textIn(row, name) ?? '';
  const nonce = numberIn(row, 'nonce');
  const network = faucetNetworks.find((name) => name === row?.network);
  if (nonce === undefined || !network) return undefined;
  return {
    requestId,
    network,
    // Addresses that `save` wrote.
    address: text('address') as Address,
    from: text('from') as Address,
    amount: BigInt(text('amount')),
    txHash: text('txHash'),
    nonce,
    signed: text('signed'),
  };
}

const requestKey = (requestId: string): string => `faucet#request#${requestId}`;
