import Type from 'typebox';
import { chains } from '../../shared/evm/chains.ts';
import { amountField, nodeFailures } from '../../shared/evm/contract.ts';
import { faucetNetworks, faucets } from './networks.ts';

export const networkEnum = () =>
  Type.Enum(faucetNetworks, { description: 'A test network; `local` is a node on your own machine' });

export const grantFields = {
  requestId: Type.String({ description: 'Ask for the status with it' }),
  txHash: Type.String({
    pattern: '^0x[0-9a-f]{64}$',
    description: 'Of the transfer that was mined, else of its newest version: one that is stuck is replaced',
  }),
  amount: amountField('In wei'),
  network: networkEnum(),
  status: Type.Enum(['pending', 'confirmed', 'failed'], {
    description: '`failed`: mined without effect, or another transaction has its nonce for good',
  }),
};

/** One network's node is enough to look at it. */
export const networkSecrets = faucetNetworks.map((name) => [chains[name].rpcUrlSecret]);
/** Giving takes its key too. */
export const givingSecrets = faucetNetworks.map((name) => [
  chains[name].rpcUrlSecret,
  faucets[name].keySecret,
]);

export const faucetFailures = {
  ...nodeFailures,
  503: 'The faucet is empty, busy, spent for the day, cannot look up who has had what, or finds gas too dear',
} as const;
