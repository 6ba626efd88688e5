// Loaded into a function's process before its code: the time is what a file says, so that a test can move it.
import { readFileSync } from 'node:fs';

const file = new URL(import.meta.url).searchParams.get('file');
const now = () => Number(readFileSync(file, 'utf8'));
const begun = now();
const elapsed = performance.now.bind(performance);

globalThis.Date = class extends Date {
  constructor(...given) {
    super(...(given.length > 0 ? given : [now()]));
  }

  static now() {
    return now();
  }
};

// What is measured goes on by itself, and makes the same leaps.
performance.now = () => elapsed() + now() - begun;
