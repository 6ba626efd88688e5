// Loaded before everything else in the processes that generate, and in the functions that they ask: the clock stands
// still, and random numbers come from a counter, so that the same code gives the same examples at every run.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const NOW = Date.UTC(2026, 0, 15, 12);

globalThis.Date = class extends Date {
  constructor(...args) {
    if (args.length === 0) super(NOW);
    else super(...args);
  }

  static now() {
    return NOW;
  }
};

// Two functions never draw the same numbers.
const seed = process.env.AWS_LAMBDA_FUNCTION_NAME ?? '';
let drawn = 0;
crypto.randomBytes = (size) => {
  drawn += 1;
  return crypto.createHash('shake256', { outputLength: size }).update(`${seed} ${drawn}`).digest();
};
crypto.randomUUID = () => {
  const hex = crypto.randomBytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
};
globalThis.crypto.randomUUID = crypto.randomUUID;
syncBuiltinESMExports();
