import { describe, expect, it } from 'vitest';
import { chains, GWEI } from '../../shared/chains.ts';
import { faucetNames, faucets } from './networks.ts';

describe.each(faucetNames)('the faucet of %s', (name) => {
  const { amount, maxFee, perDay, enough } = faucets[name];

  it('is on a test network', () => {
    expect(chains[name].testnet).toBe(true);
  });

  it('signs for a wallet at 500 gwei', () => {
    expect(25_200n * 2n * 500n * GWEI).toBeLessThan(maxFee);
  });

  it('grants at least once a day, and twice to an address', () => {
    expect(perDay).toBeGreaterThanOrEqual(amount);
    expect(enough).toBeGreaterThanOrEqual(2n * amount);
  });
});
