import { describe, expect, it } from 'vitest';
import { chains } from '../../shared/evm/chains.ts';
import { GWEI } from '../../shared/evm/values.ts';
import { faucetNetworks, faucets } from './networks.ts';

it('has faucets on test networks alone', () => {
  expect(faucetNetworks.filter((name) => !chains[name].testnet)).toEqual([]);
});

describe.each(faucetNetworks)('the faucet of %s', (name) => {
  const { amount, maxFee, perDay, enough, finalBlocks } = faucets[name];

  it('signs for a wallet at 500 gwei', () => {
    expect(25_200n * 2n * 500n * GWEI).toBeLessThan(maxFee);
  });

  it('grants at least once a day, and counts it exactly', () => {
    expect(perDay).toBeGreaterThanOrEqual(amount);
    expect([amount % GWEI, perDay % GWEI]).toEqual([0n, 0n]);
    expect(perDay / GWEI).toBeLessThan(2n ** 53n);
  });

  it('does not call one grant enough', () => {
    expect(enough).toBeGreaterThanOrEqual(2n * amount);
  });

  it('asks for no state that a full node has forgotten', () => {
    expect(finalBlocks).toBeLessThan(128);
  });
});
