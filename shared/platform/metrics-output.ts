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
 * Writes after the response was handed over, because waking the reader of stdout costs a warm request more than anything
 * else. No line is lost: a container freezes only after its response was sent, at least one turn of the event loop later.
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
    // No response may fail because its metrics cannot be written.
  }
}
