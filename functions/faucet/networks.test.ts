import { expect, it } from 'vitest';
import { chains } from '../../shared/evm/chains.ts';
import { faucetNetworks } from './networks.ts';

it('has faucets on test networks alone', () => {
  expect(faucetNetworks.filter((name) => !chains[name].testnet)).toEqual([]);
});
