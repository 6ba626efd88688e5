import type { Hex } from 'viem';
import { privateKeyToAddress, signTransaction } from 'viem/accounts';
import { keccak256 } from 'viem/utils';
import { type Chain, GWEI } from '../../../shared/chains.ts';
import type { Node } from '../../../shared/evm/node.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import type { Address } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { count as countCommon } from '../../../shared/platform/metrics.ts';
import { count } from '../metrics.ts';
import { type FaucetNetwork, faucets } from '../networks.ts';
import { faucetEmpty } from './transfer.ts';

/** The account is low if it can pay for fewer grants than this. */
const LOW_GRANTS = 50n;
/** A transfer to a contract may cost more than one to a wallet (21,000), within reason. */
const MAX_GAS = 100_000n;
/**
 * A transfer is signed for this multiple of the current gas price, because it is not replaced if gas becomes more
 * expensive. It still pays only its block's price (EIP-1559). A full block raises that by an eighth at most, so ten
 * times the price outlasts 19 full blocks in a row.
 */
const PRICE_FACTOR = 10n;
/** If the fee ceiling does not allow even this multiple, gas is too expensive. */
const LEAST_PRICE_FACTOR = 2n;

interface Fees {
  readonly gas: bigint;
  /** In wei per unit of gas. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The faucet's account, and the only holder of its key: no error and no record contains it. */
interface Account {
  readonly address: Address;
  sign(
    to: Address,
    value: bigint,
    nonce: number,
    fees: Fees,
  ): Promise<{ readonly signed: Hex; readonly txHash: Hex }>;
}

/** Throws the 500 of a wrong configuration if the chain is not a test network or the text is not a private key. */
export function openAccount(chain: Chain, text: string, keySecret: string): Account {
  if (!chain.testnet) throw ApiError.serverConfiguration(`${chain.name} is not a test network`);
  const privateKey: Hex = `0x${text.replace(/^0x/, '')}`;
  return {
    address: addressOf(privateKey, keySecret),
    async sign(to, value, nonce, fees) {
      const transaction = { type: 'eip1559', chainId: chain.chainId, to, value, nonce, ...fees } as const;
      const signed = await signTransaction({ privateKey, transaction });
      return { signed, txHash: keccak256(signed) };
    },
  };
}

function addressOf(privateKey: Hex, keySecret: string): Address {
  try {
    if (/^0x[0-9a-f]{64}$/i.test(privateKey)) return privateKeyToAddress(privateKey);
  } catch {
    // Zero, or beyond the order of the curve. The error may quote the key, so it is dropped.
  }
  countCommon('SecretUnusable');
  throw ApiError.serverConfiguration(`${keySecret} is not a private key`);
}

/** The current fees of a transfer. Throws 400 if the recipient has enough or rejects it, 503 if gas is too expensive. */
export async function feesOf(
  node: Node,
  network: FaucetNetwork,
  from: Address,
  to: Address,
  deadline: number,
): Promise<Fees> {
  const { amount, maxFee, enough } = faucets[network];
  const [balance, price, priority, estimate] = await Promise.all([
    node.quantity('eth_getBalance', [to, 'latest'], deadline),
    node.quantity('eth_gasPrice', [], deadline),
    // Not every node supports it.
    node.quantity('eth_maxPriorityFeePerGas', [], deadline).catch(() => GWEI),
    node.estimateGas({ from, to, data: '0x', value: amount }, deadline).catch((error: unknown) => {
      throw error instanceof NodeError && error.kind === 'insufficient-funds' ? faucetEmpty(network) : error;
    }),
  ]);
  if (balance >= enough) {
    const reason = `${to} has ${balance} wei on ${network}; a grant is for addresses with less than ${enough}`;
    throw new ApiError(400, reason);
  }
  const gas = (estimate * 12n) / 10n;
  if (gas > MAX_GAS) throw new ApiError(400, `${to} is a contract that does not simply take a transfer`);
  const ceiling = maxFee / gas;
  if (price * LEAST_PRICE_FACTOR > ceiling) throw tooDear(network, price, ceiling / LEAST_PRICE_FACTOR);
  const maxFeePerGas = smaller(price * PRICE_FACTOR, ceiling);
  return { gas, maxFeePerGas, maxPriorityFeePerGas: smaller(priority, maxFeePerGas) };
}

function tooDear(network: FaucetNetwork, price: bigint, most: bigint): ApiError {
  count('FaucetTooDear');
  const costs = price / GWEI + 1n; // rounded up, so that it is above `most`
  const reason = `Gas on ${network} costs ${costs} gwei at the moment, and the faucet pays up to ${most / GWEI}`;
  return new ApiError(503, `${reason}; try again later`);
}

/** Throws 503 if the account cannot pay for a grant. */
export async function assertFunds(
  node: Node,
  network: FaucetNetwork,
  from: Address,
  { gas, maxFeePerGas }: Fees,
  deadline: number,
): Promise<void> {
  const balance = await node.quantity('eth_getBalance', [from, 'pending'], deadline);
  const cost = faucets[network].amount + gas * maxFeePerGas;
  if (balance < cost) throw faucetEmpty(network);
  if (balance < cost * (LOW_GRANTS + 1n)) count('FaucetLow');
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b);
