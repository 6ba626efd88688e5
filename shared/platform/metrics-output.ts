import { writeSync } from 'node:fs';
import { variables } from './environment.ts';
import { type RequestCount, takeMetrics } from './metrics.ts';

const STDOUT = 1;

/** Whether functions with this environment print metrics. */
export function printsMetrics({ METRICS, NODE_ENV }: NodeJS.ProcessEnv): boolean {
  return METRICS === 'on' || (METRICS !== 'off' && NODE_ENV === 'production');
}

/** Undefined if `METRICS` says to print none. Reads the raw environment: requests with a wrong one count too. */
export function metricsNamespace(): string | undefined {
  if (!printsMetrics(process.env)) return undefined;
  return process.env.METRICS_NAMESPACE || variables.METRICS_NAMESPACE.default;
}

/** Prints everything since the last time as one line on stdout. */
export function printMetrics(
  namespace: string,
  request?: RequestCount,
  write: (line: string) => void = writeLine,
): void {
  const line = takeMetrics(namespace, request);
  if (line) write(`${line}\n`);
}

const WRITE_AT_BYTES = 16_384;
let unwritten = '';
let isScheduled = false;

/**
 * Writes when the answer is on its way: waking the reader of stdout costs a warm request more than all else. No line is
 * lost: a container is frozen only after its answer was sent, at least one more turn of the event loop later.
 */
function writeLine(line: string): void {
  unwritten += line;
  if (unwritten.length > WRITE_AT_BYTES) {
    writeNow(); // the event loop is too busy for it
  } else if (!isScheduled) {
    setImmediate(writeNow);
    isScheduled = true;
  }
}

/** Writes to the descriptor: `console.log` adds Lambda's prefix, and `process.stdout` costs a cold start 2 ms. */
function writeNow(): void {
  const lines = unwritten;
  unwritten = '';
  isScheduled = false;
  try {
    if (lines !== '') writeSync(STDOUT, lines);
  } catch {
    // No answer may fail because nobody reads its metrics.
  }
}
