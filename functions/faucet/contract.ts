import Type from 'typebox';
import { chains, faucetNetworks } from '../../shared/evm/chains.ts';
import { amountField, nodeEnvironment, nodeFailures } from '../../shared/evm/contract.ts';

/** What both faucet routes document alike. */

export const networkEnum = () =>
  Type.Enum(faucetNetworks, { description: 'A test network; `local` is a node on your own machine' });

export const grantFields = {
  requestId: Type.String({ description: 'Ask for the status with it' }),
  txHash: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
  amount: amountField('In wei'),
  network: networkEnum(),
  status: Type.Enum(['pending', 'confirmed', 'failed'], {
    description: '`failed`: mined without effect, or another transaction took its place',
  }),
};

export const faucetEnvironment = [...nodeEnvironment, 'SHARED_TABLE'] as const;
/** What it takes to look at a network. */
export const networkSecrets = faucetNetworks.map((name) => [chains[name].rpcUrlSecret]);
/** What it takes to give on it. */
export const givingSecrets = faucetNetworks.flatMap((name) => {
  const { rpcUrlSecret, faucet } = chains[name];
  return faucet ? [[rpcUrlSecret, faucet.keySecret]] : [];
});

export const faucetFailures = {
  ...nodeFailures,
  503: 'The faucet is empty, busy, or cannot look up who has had what',
} as const;
