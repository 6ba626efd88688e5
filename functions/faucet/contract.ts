import Type, { type Static, type TObject } from 'typebox';
import { chains } from '../../shared/chains.ts';
import { amountField, nodeFailures } from '../../shared/evm/contract.ts';
import { faucetNames, faucets } from './networks.ts';

export const networkEnum = () =>
  Type.Enum(faucetNames, { description: 'A test network; `local` is a node on your own machine' });

export const grantFields = {
  requestId: Type.String({ description: 'The id for reading the status' }),
  txHash: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: "The transfer's hash" }),
  amount: amountField('In wei'),
  network: networkEnum(),
  status: Type.Enum(['pending', 'confirmed', 'failed'], {
    description: '`failed`: mined without effect, or another transaction used its nonce for good',
  }),
};

export const statusFields = {
  ...grantFields,
  confirmations: Type.Integer({
    description: 'Blocks since it was mined, its own included; 0: not mined yet',
  }),
};

export type GrantData = Readonly<Static<TObject<typeof grantFields>>>;
export type StatusData = Readonly<Static<TObject<typeof statusFields>>>;

/** Reading a status requires at least one network's node. */
export const networkSecrets = faucetNames.map((name) => [chains[name].rpcUrlSecret]);
/** A grant also needs the network's key. */
export const grantSecrets = faucetNames.map((name) => [chains[name].rpcUrlSecret, faucets[name].keySecret]);

export const faucetFailures = {
  ...nodeFailures,
  503: 'The faucet is empty, busy, spent for the day, without its table, waiting for its transfers, or finds gas too dear',
} as const;
