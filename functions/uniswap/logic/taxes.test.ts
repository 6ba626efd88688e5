import { describe, expect, it } from 'vitest';
import { arriving, keepsSome, taxBps } from './taxes.ts';

describe('what arrives of an amount, after a transfer that was measured,', () => {
  it.each([
    ['nothing is lost', { sent: 1_000_000n, arrived: 1_000_000n }, 0, 12_345n],
    ['3 % are lost, rounded down', { sent: 1_000_033n, arrived: 970_033n }, 300, 11_975n],
    ['a rate of no whole hundredths of a percent', { sent: 3_000_000n, arrived: 2_000_000n }, 3333, 8_230n],
    ['all is lost', { sent: 1_000_000n, arrived: 0n }, 10_000, 0n],
    ['a unit is lost in rounding', { sent: 1_000_000n, arrived: 999_999n }, 0, 12_344n],
    ['two units are', { sent: 1_000_000n, arrived: 999_998n }, 0, 12_343n],
    ['nothing was measured', undefined, null, 12_345n],
    ['nothing was sent', { sent: 0n, arrived: 0n }, null, 12_345n],
  ])('if %s', (_what, transfer, bps, amount) => {
    expect(taxBps(transfer)).toBe(bps);
    expect(arriving(transfer, 12_345n)).toBe(amount);
    expect(keepsSome(transfer)).toBe(transfer !== undefined && transfer.arrived < transfer.sent);
  });

  it('is never less than nothing', () => {
    expect(arriving({ sent: 1_000_000n, arrived: 999_998n }, 1n)).toBe(0n);
  });
});
