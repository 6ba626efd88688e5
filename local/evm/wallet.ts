/**
 * `npm run wallet`: signs the unsigned transaction of a response on stdin with one of anvil's public accounts, sends it
 * to the local chain at $CHAIN, and reports its outcome. A real client leaves this to its user's wallet.
 */
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { chains } from '../../shared/chains.ts';
import type { Payload } from '../../shared/evm/contract.ts';
import { callOne } from './json-rpc.ts';

/** Anvil's second account; its key is in anvil's documentation and controls nothing else. */
const account = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');

async function send(url: string, { to, data, value, gasLimit }: Payload): Promise<string> {
  const call = async (method: string, ...params: unknown[]) => (await callOne(url, method, params)) as Hex;
  const chainId = Number(await call('eth_chainId'));
  if (chainId !== chains.local.chainId) throw new Error(`${url} is chain ${chainId}, not the local one`);
  const signed = await account.signTransaction({
    to,
    data: data as Hex, // as its schema guarantees
    chainId,
    value: BigInt(value),
    gas: BigInt(gasLimit),
    nonce: Number(await call('eth_getTransactionCount', account.address, 'pending')),
    maxFeePerGas: 2n * BigInt(await call('eth_gasPrice')),
    maxPriorityFeePerGas: 1n,
  });
  const hash = await call('eth_sendRawTransaction', signed);
  if ((await receiptOf(url, hash)).status !== '0x1') throw new Error(`${hash} failed`);
  return hash;
}

/** The node mines a transaction soon after accepting it. */
async function receiptOf(url: string, hash: Hex): Promise<{ readonly status: Hex }> {
  for (let tries = 0; tries < 100; tries += 1) {
    const receipt = await callOne(url, 'eth_getTransactionReceipt', [hash]);
    if (receipt) return receipt as { readonly status: Hex }; // as specified
    await sleep(50);
  }
  throw new Error(`${hash} is not mined`);
}

interface Answer {
  /** An approval may require another one before it. */
  readonly data?: Payload & { readonly reset?: Payload | null };
  readonly error?: string;
}

function answerIn(input: string): Answer {
  if (input.trim() === '') throw new Error('Nothing came in on stdin: is the service running?');
  try {
    return JSON.parse(input) as Answer;
  } catch {
    throw new Error('What came in on stdin is not the answer of the service, which is JSON');
  }
}

try {
  const { CHAIN } = process.env;
  if (!CHAIN || !URL.canParse(CHAIN))
    throw new Error(
      'Set CHAIN to the address of the local chain, as npm start -- --lambda --chain local prints it: http://127.0.0.1:PORT',
    );
  const answer = answerIn(await text(process.stdin));
  if (!answer.data) throw new Error(answer.error ?? 'There is no answer with a transaction on stdin');
  const { reset, ...payload } = answer.data;
  for (const next of [reset ?? [], payload].flat()) {
    console.log(`${account.address} sent ${await send(CHAIN, next)}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
