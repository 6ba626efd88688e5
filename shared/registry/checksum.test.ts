import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHECKSUM_STEP, CheckedMemory } from './checksum.ts';

/** The definition in registry-layer/FORMAT.md, word by word. */
function plainChecksum(bytes: Uint8Array): string {
  const words = new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
  const [sum, sums] = [new BigUint64Array(2), new BigUint64Array(2)];
  words.forEach((word, index) => {
    const lane = index % 2;
    sum[lane] = (sum[lane] ?? 0n) + word;
    sums[lane] = (sums[lane] ?? 0n) + (sum[lane] ?? 0n);
  });
  return Buffer.concat([Buffer.from(sum.buffer), Buffer.from(sums.buffer)]).toString('hex');
}

function checksum(bytes: Uint8Array, start = 0): string {
  const memory = new CheckedMemory(bytes.length);
  memory.file.set(bytes);
  return memory.checksum(start);
}

const blocks = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.nat())
  .map(([count, seed]) =>
    Uint8Array.from({ length: count * CHECKSUM_STEP }, (_, index) => (seed + index * 167) % 251),
  );

test('is what the format says, from the beginning or from a later step on', () => {
  fc.assert(
    fc.property(blocks, (bytes) => {
      expect(checksum(bytes)).toBe(plainChecksum(bytes));
      expect(checksum(bytes, CHECKSUM_STEP)).toBe(plainChecksum(bytes.slice(CHECKSUM_STEP)));
    }),
  );
});

test('changes with any byte and with the order of blocks', () => {
  const bytes = Uint8Array.from({ length: 2 * CHECKSUM_STEP }, (_, index) => (index * 167) % 251);
  const unchanged = checksum(bytes);
  for (const [index, byte] of bytes.entries()) {
    for (const bit of [1, 0x80]) expect(checksum(bytes.with(index, byte ^ bit))).not.toBe(unchanged);
  }
  const moved = Uint8Array.from([...bytes.subarray(CHECKSUM_STEP), ...bytes.subarray(0, CHECKSUM_STEP)]);
  expect(checksum(moved)).not.toBe(unchanged);
});
