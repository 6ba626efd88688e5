import { writeSync } from 'node:fs';
import { variables } from './environment.ts';
import { type RequestCount, takeMetrics } from './metrics.ts';

const STDOUT = 1;

/**
 * Where this function's metrics go; undefined where `METRICS` says that it prints none, which is everywhere but in
 * production unless told otherwise. Read past the checked environment, because a wrong one is worth counting too.
 */
export function metricsNamespace(): string | undefined {
  const { METRICS = variables.METRICS.default, METRICS_NAMESPACE, NODE_ENV } = process.env;
  if (METRICS === 'off' || (METRICS !== 'on' && NODE_ENV !== 'production')) return undefined;
  return METRICS_NAMESPACE || variables.METRICS_NAMESPACE.default;
}

/** Prints what was counted and observed since the last time as one line on stdout. */
export function printMetrics(
  namespace: string | undefined,
  request?: RequestCount,
  write: (line: string) => void = writeLine,
): void {
  const line = namespace && takeMetrics(namespace, request);
  if (line) write(`${line}\n`);
}

const WRITE_AT_BYTES = 16_384;
let unwritten = '';
let isScheduled = false;

/**
 * Writes the line when the answer is on its way: waking whoever reads stdout costs a warm request more than
 * everything else that it does. Nothing is left to chance by that: Lambda freezes a container only after the
 * answer has been sent, which takes another turn of the event loop at least.
 */
function writeLine(line: string): void {
  unwritten += line;
  if (unwritten.length > WRITE_AT_BYTES) {
    writeNow(); // the event loop does not get to turn
  } else if (!isScheduled) {
    setImmediate(writeNow);
    isScheduled = true;
  }
}

/** Straight to the descriptor: `console.log` adds Lambda's prefix, and `process.stdout` costs a cold start 2 ms. */
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
