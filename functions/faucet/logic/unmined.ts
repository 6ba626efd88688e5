import type { Node } from '../../../shared/evm/node.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { count } from '../metrics.ts';
import { type FaucetNetwork, faucets } from '../networks.ts';
import { type GasPrice, mostOf, raisedFees } from './fees.ts';
import type { Committed, Lease, Ledger, LedgerState, Version } from './ledger.ts';
import { MAX_VERSIONS } from './rules.ts';
import type { Signer } from './signer.ts';
import { broadcast, type Nonces } from './treasury.ts';

/** A committed transfer that is to be sent. */
interface Waiting extends Committed {
  readonly nonce: number;
  readonly signed: string;
}

interface Account extends Nonces {
  readonly network: FaucetNetwork;
  readonly price: GasPrice;
  /** Undefined: nothing is signed anew. */
  readonly signer: Signer | undefined;
}

/** Committed with one write, and sent at once. */
const TOGETHER = 10;

/** The nonce of the next transfer: that of the first gap, if one that the node does not know is written down nowhere. */
export function nextNonce({ next, transfers }: LedgerState, known: number): number {
  const end = Math.max(next ?? known, known);
  for (let nonce = known; nonce < end; nonce += 1) if (!transfers.get(nonce)?.signed) return nonce;
  return end;
}

/** Whether there is something for `pushUnmined` to do. */
export function needsPush(state: LedgerState, nonces: Nonces, price: GasPrice): boolean {
  return waitingIn(state, nonces).some((each) => isStuck(each, price) || mayBeUnsent(each, nonces));
}

/**
 * Sends what is committed and may not have reached the node, and signs anew, with higher fees, what stays unmined at the
 * present price: the same nonce, recipient and amount, so that one of the versions at most is ever mined. Begins nothing
 * after `until` (ms since the epoch, as the deadline of what is begun). Returns the new versions. The caller holds the
 * lease. Throws 503 if it was lost, and what a node throws that refuses a transfer for something else than its fees.
 */
export async function pushUnmined(
  node: Node,
  ledger: Ledger,
  lease: Lease,
  account: Account,
  { until, deadline }: { readonly until: number; readonly deadline: number },
): Promise<readonly Version[]> {
  const waiting = waitingIn(lease, account);
  const replacements: Version[] = [];
  let isHopeless = false;

  const raise = async (stuck: readonly Waiting[]): Promise<Version[]> => {
    const versions = await Promise.all(stuck.map((each) => anotherVersion(each, account)));
    const signed = versions.filter((version) => version !== undefined);
    if (signed.length < stuck.length) isHopeless = true;
    if (signed.length === 0) return [];
    if (!(await ledger.replace(lease, signed))) {
      throw new ApiError(503, `The ${account.network} faucet is busy; try again`);
    }
    count('FaucetReplaced', signed.length);
    replacements.push(...signed);
    return signed;
  };
  /** Returns those that the node does not take at their fees. */
  const send = async (transfers: readonly Waiting[]): Promise<Waiting[]> => {
    const taken = await Promise.all(transfers.map(({ signed }) => broadcast(node, signed, deadline)));
    return transfers.filter((_, index) => !taken[index]);
  };

  for (let first = 0; first < waiting.length && Date.now() < until; first += TOGETHER) {
    const some = waiting.slice(first, first + TOGETHER);
    const raised = await raise(some.filter((each) => isStuck(each, account.price)));
    const nonces = new Set(raised.map(({ nonce }) => nonce));
    const unsent = some.filter((each) => !nonces.has(each.nonce) && mayBeUnsent(each, account));
    const refused = await send([...raised, ...unsent]);
    await send(await raise(refused));
  }
  if (isHopeless) count('FaucetStuck');
  return replacements;
}

function waitingIn({ next, transfers }: LedgerState, { mined, known }: Nonces): Waiting[] {
  const end = nextNonce({ next, transfers }, known);
  return [...transfers].flatMap(([nonce, { signed, details }]) =>
    nonce >= mined && nonce < end && signed ? [{ nonce, signed, details }] : [],
  );
}

function isStuck({ details }: Waiting, { price }: GasPrice): boolean {
  return details !== undefined && details.fees.maxFeePerGas < price;
}

/** A replacement may have been committed and not sent: the node knows the nonce, of an earlier version. */
function mayBeUnsent({ nonce, details }: Waiting, { known }: Nonces): boolean {
  return nonce >= known || (details?.hashes.length ?? 0) > 1;
}

/** Undefined without the key, beyond the fee ceiling, and of one that was signed too often. */
async function anotherVersion(
  { nonce, details }: Waiting,
  { signer, price, network }: Account,
): Promise<Version | undefined> {
  if (!signer || !details || details.hashes.length >= MAX_VERSIONS) return undefined;
  const fees = raisedFees(details.fees, price);
  if (mostOf(fees) > faucets[network].maxFee) return undefined;
  const { signed, txHash } = await signer.transfer(details.to, details.amount, nonce, fees);
  return { nonce, signed, details: { ...details, fees, hashes: [...details.hashes, txHash] } };
}
