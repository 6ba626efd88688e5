import type { Node } from '../../../shared/evm/node.ts';
import { GWEI } from '../../../shared/evm/values.ts';
import type { Fees } from './signer.ts';

/** What a unit of gas costs now, in wei. */
export interface GasPrice {
  /** The base fee and the usual priority fee. */
  readonly price: bigint;
  readonly priority: bigint;
}

export async function gasPriceOf(node: Node, deadline: number): Promise<GasPrice> {
  const [price, priority] = await Promise.all([
    node.quantity('eth_gasPrice', [], deadline),
    // Not every node offers it.
    node.quantity('eth_maxPriorityFeePerGas', [], deadline).catch(() => GWEI),
  ]);
  return { price, priority };
}

/** Twice the price lasts for six full blocks in a row, each of which raises it by an eighth (EIP-1559). */
export function feesFor(gas: bigint, { price, priority }: GasPrice): Fees {
  const maxFeePerGas = price * 2n > priority ? price * 2n : priority;
  return { gas, maxFeePerGas, maxPriorityFeePerGas: priority < maxFeePerGas ? priority : maxFeePerGas };
}

/** Of a replacement: those of a new transfer, but both an eighth higher at least; geth asks for a tenth ("PriceBump"). */
export function raisedFees(fees: Fees, price: GasPrice): Fees {
  const now = feesFor(fees.gas, price);
  return {
    gas: fees.gas,
    maxFeePerGas: larger(now.maxFeePerGas, anEighthMore(fees.maxFeePerGas)),
    maxPriorityFeePerGas: larger(now.maxPriorityFeePerGas, anEighthMore(fees.maxPriorityFeePerGas)),
  };
}

/** In wei. */
export const mostOf = ({ gas, maxFeePerGas }: Fees): bigint => gas * maxFeePerGas;

/** More in any case: of 1 wei an eighth is nothing. */
const anEighthMore = (fee: bigint) => (fee * 9n) / 8n + 1n;
const larger = (a: bigint, b: bigint) => (a > b ? a : b);
