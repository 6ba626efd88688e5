/** A new wallet for a test, which signs payloads of the routes and sends them to the node itself. */
import { randomBytes } from 'node:crypto';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { vi } from 'vitest';
import type { LocalChain } from '../../local/evm/index.ts';
import { chains } from '../../shared/chains.ts';
import type { Payload } from '../../shared/evm/contract.ts';

export interface Receipt {
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  /** In wei, for all the gas. */
  readonly cost: bigint;
}

export interface Wallet {
  readonly address: Address;
  send(payload: Payload): Promise<Receipt>;
}

export async function newWallet(chain: LocalChain, ether = 1_000n): Promise<Wallet> {
  const account = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`);
  const { address } = account;
  await chain.rpc('anvil_setBalance', [address, `0x${(ether * 10n ** 18n).toString(16)}`]);
  return {
    address,
    async send({ to, data, value, gasLimit }) {
      const nonce = Number(await chain.rpc('eth_getTransactionCount', [address, 'latest']));
      const signed = await account.signTransaction({
        type: 'eip1559',
        chainId: chains.local.chainId,
        nonce,
        to,
        data: data as Hex,
        value: BigInt(value),
        gas: BigInt(gasLimit),
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 1n,
      });
      const hash = await chain.rpc('eth_sendRawTransaction', [signed]);
      const receipt = await receiptOf(chain, hash);
      const [gasUsed, price] = [BigInt(receipt.gasUsed ?? 0), BigInt(receipt.effectiveGasPrice ?? 0)];
      return { succeeded: receipt.status === '0x1', gasUsed, cost: gasUsed * price };
    },
  };
}

/** The node mines at once, but after its response. */
async function receiptOf(chain: LocalChain, hash: unknown): Promise<Partial<Record<string, string>>> {
  const found = () => chain.rpc('eth_getTransactionReceipt', [hash]);
  return vi.waitUntil(async () => (await found()) as Partial<Record<string, string>> | null, {
    timeout: 15_000,
    interval: 10,
  });
}
