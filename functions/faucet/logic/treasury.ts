import type { Address } from '../../../shared/evm/address.ts';
import { toQuantity } from '../../../shared/evm/amount.ts';
import type { Node } from '../../../shared/evm/node.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { count } from '../metrics.ts';
import { MAX_GAS } from './rules.ts';
import type { Fees } from './signer.ts';

const GWEI = 10n ** 9n;

/** Throws the 500 of a wrong configuration unless the node, asked now, says that it is the test network's. */
export async function assertTestNetwork({ chain, rpc }: Node, deadline: number): Promise<void> {
  const answer = await rpc('eth_chainId', [], { deadline });
  if (!chain.testnet || answer !== toQuantity(chain.chainId)) {
    throw ApiError.serverConfiguration(`${chain.rpcUrlSecret} is not that of the test network ${chain.name}`);
  }
}

/** The price of a transfer now. Throws 400 if the recipient does not take one, 503 if gas is too dear. */
export async function feesOf(
  node: Node,
  from: Address,
  to: Address,
  amount: bigint,
  deadline: number,
): Promise<Fees> {
  const [price, priority, estimate] = await Promise.all([
    node.quantity('eth_gasPrice', [], deadline),
    // Not every node offers it.
    node.quantity('eth_maxPriorityFeePerGas', [], deadline).catch(() => GWEI),
    node.estimateGas({ from, to, data: '0x', value: amount }, deadline).catch((error) => refuse(node, error)),
  ]);
  const gas = (estimate * 12n) / 10n;
  if (gas > MAX_GAS) throw new ApiError(400, `${to} is a contract that does not simply take a transfer`);
  // Twice the price lasts for six full blocks in a row, each of which raises it by an eighth (EIP-1559).
  const maxFeePerGas = price * 2n > priority ? price * 2n : priority;
  if (gas * maxFeePerGas > amount) {
    const reason = `Gas on ${node.chain.name} costs more than a grant at the moment; try again later`;
    throw new ApiError(503, reason);
  }
  return { gas, maxFeePerGas, maxPriorityFeePerGas: priority < maxFeePerGas ? priority : maxFeePerGas };
}

function refuse({ chain }: Node, error: unknown): never {
  throw error instanceof NodeError && error.kind === 'insufficient-funds' ? faucetEmpty(chain.name) : error;
}

/** Counts it too: somebody has to fill it. */
export function faucetEmpty(network: string): ApiError {
  count('FaucetLow');
  return new ApiError(503, `The ${network} faucet is empty at the moment; try again later`);
}

/** The number of the account's transactions that are mined, and that the node knows of. */
export async function noncesOf(node: Node, account: Address, deadline: number) {
  const [mined, known] = await Promise.all(
    ['latest', 'pending'].map((tag) => node.quantity('eth_getTransactionCount', [account, tag], deadline)),
  );
  return { mined: Number(mined), known: Number(known) };
}

/** Sends a signed transfer, which may be known or mined already. Throws as Rpc does if the node refuses it. */
export async function broadcast({ rpc }: Node, signed: string, deadline: number): Promise<void> {
  try {
    await rpc('eth_sendRawTransaction', [signed], { deadline });
  } catch (error) {
    if (!(error instanceof NodeError && /^(already-known|stale-nonce)$/.test(error.kind))) throw error;
  }
}
