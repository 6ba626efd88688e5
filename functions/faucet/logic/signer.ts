import type { Hex } from 'viem';
import { privateKeyToAddress, signTransaction } from 'viem/accounts';
import { keccak256 } from 'viem/utils';
import type { Chain } from '../../../shared/evm/chains.ts';
import type { Address } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { count } from '../../../shared/platform/metrics.ts';

export interface Fees {
  /** In wei for each unit of gas. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly gas: bigint;
}

export interface SignedTransfer {
  readonly nonce: number;
  readonly signed: Hex;
  readonly txHash: Hex;
}

/** The only holder of the faucet's key: no error and no record has it. */
export interface Signer {
  readonly address: Address;
  transfer(to: Address, amount: bigint, nonce: number, fees: Fees): Promise<SignedTransfer>;
  /** A text that stands for a client, and from which nobody without the key can tell which. */
  pseudonym(client: string): string;
}

/** Throws the 500 of a wrong configuration if the chain is no test network, or the text no private key. */
export function createSigner(chain: Chain, text: string, keySecret: string): Signer {
  if (!chain.testnet) throw ApiError.serverConfiguration(`${chain.name} is not a test network`);
  if (!/^(0x)?[0-9a-f]{64}$/i.test(text)) throw noPrivateKey(keySecret);
  const privateKey: Hex = `0x${text.replace(/^0x/, '')}`;
  return {
    address: addressOf(privateKey, keySecret),
    async transfer(to, value, nonce, fees) {
      const transaction = { type: 'eip1559', chainId: chain.chainId, to, value, nonce, ...fees } as const;
      const signed = await signTransaction({ privateKey, transaction });
      return { nonce, signed, txHash: keccak256(signed) };
    },
    pseudonym(client) {
      const { createHmac } = process.getBuiltinModule('node:crypto');
      return createHmac('sha256', privateKey).update(`faucet client ${client}`).digest('hex').slice(0, 32);
    },
  };
}

function addressOf(privateKey: Hex, keySecret: string): Address {
  try {
    return privateKeyToAddress(privateKey);
  } catch {
    // Zero, or beyond the order of the curve; what was thrown may quote it.
    throw noPrivateKey(keySecret);
  }
}

function noPrivateKey(keySecret: string): ApiError {
  count('SecretUnusable');
  return ApiError.serverConfiguration(`${keySecret} is not a private key`);
}
