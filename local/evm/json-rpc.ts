/** JSON-RPC for setting up a local chain. */
import type { Address, Hex } from 'viem';

export interface Transaction {
  readonly to?: Address;
  readonly data?: Hex;
  /** In wei. */
  readonly value?: bigint;
}

/** The last of anvil's initial accounts (10,000 ETH each, with publicly known keys). */
export const DEPLOYER: Address = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720';

/** In wei. */
export const ETHER = 10n ** 18n;

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Several calls in one request; throws the node's error for the first that fails. */
export async function callAll(
  url: string,
  calls: readonly (readonly [method: string, params: readonly unknown[]])[],
): Promise<unknown[]> {
  const body = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answers = (await response.json()) as Answer[]; // from our own node
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map(([method], id) => {
    const answer = byId.get(id);
    if (!answer || answer.error) throw new Error(`${method}: ${answer?.error?.message ?? 'no answer'}`);
    return answer.result;
  });
}

export async function callOne(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  return (await callAll(url, [[method, params]]))[0];
}

const GAS_LIMIT = '0x989680'; // 10 million; the largest contract takes 5.5

/** Sends transactions from one account of the node in one block, in order. Throws if one of them fails. */
export async function sendAll(
  url: string,
  from: Address,
  transactions: readonly Transaction[],
): Promise<void> {
  if (transactions.length === 0) return; // an empty batch is an error (jsonrpc.org/specification, "Batch")
  const nonce = Number(await callOne(url, 'eth_getTransactionCount', [from, 'latest']));
  const quantity = (value: bigint | number) => `0x${value.toString(16)}`;
  await callOne(url, 'evm_setAutomine', [false]);
  const hashes = await callAll(
    url,
    transactions.map(({ to, data, value = 0n }, index) => {
      const request = {
        from,
        to,
        data,
        value: quantity(value),
        gas: GAS_LIMIT,
        nonce: quantity(nonce + index),
      };
      return ['eth_sendTransaction', [request]] as const;
    }),
  );
  // Their gas limits together may exceed a block's, although they do not use that much.
  for (let mined = 0; mined < transactions.length; ) {
    await callOne(url, 'evm_mine');
    mined = Number(await callOne(url, 'eth_getTransactionCount', [from, 'latest'])) - nonce;
  }
  await callOne(url, 'evm_setAutomine', [true]);
  const receipts = await callAll(
    url,
    hashes.map((hash) => ['eth_getTransactionReceipt', [hash]] as const),
  );
  transactions.forEach((transaction, index) => {
    const receipt = receipts[index] as { readonly status: string } | null; // as specified
    if (receipt?.status !== '0x1') {
      throw new Error(`Transaction ${index} to ${transaction.to ?? 'a new contract'} failed`);
    }
  });
}
