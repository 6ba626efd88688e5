import { describe, expect, it } from 'vitest';
import { chains } from '../../shared/evm/chains.ts';
import { GWEI } from '../../shared/evm/values.ts';
import { faucetNetworks, faucets } from './networks.ts';

it('has faucets on test networks alone', () => {
  expect(faucetNetworks.filter((name) => !chains[name].testnet)).toEqual([]);
});

describe.each(faucetNetworks)('the faucet of %s', (name) => {
  const { amount, maxFee, perDay, enough } = faucets[name];

  it('signs for a wallet at 500 gwei', () => {
    expect(25_200n * 2n * 500n * GWEI).toBeLessThan(maxFee);
  });

  it('grants at least once a day, and does not call one grant enough', () => {
    expect(perDay).toBeGreaterThanOrEqual(amount);
    expect(enough).toBeGreaterThanOrEqual(2n * amount);
  });
});
