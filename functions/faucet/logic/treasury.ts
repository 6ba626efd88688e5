import type { Node } from '../../../shared/evm/node.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import { type Address, GWEI, toQuantity } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { count } from '../metrics.ts';
import { type FaucetNetwork, faucets } from '../networks.ts';
import { feesFor, type GasPrice, gasPriceOf, mostOf } from './fees.ts';
import { throwAsOurs } from './ours.ts';
import { MAX_GAS } from './rules.ts';
import type { Fees } from './signer.ts';

/** Throws the 500 of a wrong configuration unless the node, asked now, says that it is the test network's. */
export async function assertTestNetwork({ chain, rpc }: Node, deadline: number): Promise<void> {
  const answer = await rpc('eth_chainId', [], { deadline }).catch(throwAsOurs);
  if (!chain.testnet || answer !== toQuantity(chain.chainId)) {
    throw ApiError.serverConfiguration(`${chain.rpcUrlSecret} is not that of the test network ${chain.name}`);
  }
}

/**
 * The fees of a grant now. Throws 400 if the recipient has enough or does not take a transfer, 503 if gas is too dear.
 */
export async function feesOf(
  node: Node,
  network: FaucetNetwork,
  from: Address,
  to: Address,
  deadline: number,
): Promise<{ readonly fees: Fees; readonly price: GasPrice }> {
  const { amount, maxFee, enough } = faucets[network];
  const [balance, price, estimate] = await Promise.all([
    node.quantity('eth_getBalance', [to, 'latest'], deadline),
    gasPriceOf(node, deadline),
    node.estimateGas({ from, to, data: '0x', value: amount }, deadline).catch((error) => refuse(node, error)),
  ]);
  if (balance >= enough) {
    const reason = `${to} has ${balance} wei on ${network}; a grant is for addresses with less than ${enough}`;
    throw new ApiError(400, reason);
  }
  const gas = (estimate * 12n) / 10n;
  if (gas > MAX_GAS) throw new ApiError(400, `${to} is a contract that does not simply take a transfer`);
  const fees = feesFor(gas, price);
  if (mostOf(fees) > maxFee) throw tooDear(network, price, maxFee / (2n * gas));
  return { fees, price };
}

function tooDear(network: FaucetNetwork, { price }: GasPrice, most: bigint): ApiError {
  count('FaucetTooDear');
  const costs = price / GWEI + 1n; // rounded up, so that it is above `most`
  const reason = `Gas on ${network} costs ${costs} gwei at the moment, and the faucet pays up to ${most / GWEI}`;
  return new ApiError(503, `${reason}; try again later`);
}

function refuse({ chain }: Node, error: unknown): never {
  throw error instanceof NodeError && error.kind === 'insufficient-funds' ? faucetEmpty(chain.name) : error;
}

/** Counts it too: somebody has to fill it. */
export function faucetEmpty(network: string): ApiError {
  count('FaucetLow');
  return new ApiError(503, `The ${network} faucet is empty at the moment; try again later`);
}

export interface Nonces {
  readonly mined: number;
  readonly known: number;
}

/** The number of the account's transactions that are mined, and that the node knows of. */
export async function noncesOf(node: Node, account: Address, deadline: number): Promise<Nonces> {
  const [mined, known] = await Promise.all(
    ['latest', 'pending'].map((tag) => node.quantity('eth_getTransactionCount', [account, tag], deadline)),
  );
  return { mined: Number(mined), known: Number(known) };
}

/**
 * Sends a signed transfer, which may be known or mined already. False if the node does not take it at its fees, because
 * they are below the base fee, or too little above those of another transaction with its nonce. Throws a
 * NodeError, never a 400, if the node refuses it for something else.
 */
export async function broadcast({ rpc }: Node, signed: string, deadline: number): Promise<boolean> {
  try {
    await rpc('eth_sendRawTransaction', [signed], { deadline });
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (error.kind === 'underpriced') return false;
    // Of a nonce that is mined somebody else finds out whose transaction it was (`settle`, the status).
    if (error.kind !== 'already-known' && error.kind !== 'stale-nonce') throw error.asOurs();
  }
  return true;
}
