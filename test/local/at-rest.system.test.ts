import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { descendantsOf, startNpm } from './npm.ts';

const PROCESSES = 8;
const MEGABYTES = 350;
const paths = [
  'ticker/btc-bitcoin',
  'tickers',
  'overview',
  'ohlcv/btc-bitcoin',
  'search?q=bit',
  'coins/btc-bitcoin',
  'rates',
];

/** What the kernel says of a process; empty if it has just ended. */
function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** The memory of a process in MB, of which shared pages count in part. */
function megabytesOf(pid: number): number {
  const [, kilobytes = 0] = /^Pss:\s+(\d+) kB$/m.exec(readProcess(pid, 'smaps_rollup')) ?? [];
  return Number(kilobytes) / 1024;
}

test.runIf(process.platform === 'linux')(
  'a simulated service at rest is a handful of processes, and answers what nobody has asked before',
  async () => {
    const store = mkdtempSync(join(inject('runFolder'), 'at-rest-'));
    const { pid, url } = await startNpm(['--simulated', '--store', store]);
    const tree = () => [pid, ...descendantsOf(pid)];
    const functions = () => tree().filter((one) => readProcess(one, 'cmdline').includes('runtime.mjs'));
    // The jobs that fill the store run soon after the start, one after the other, and the last one takes a minute.
    await sleep(3000);
    await expect.poll(() => functions().length, { timeout: 60_000 }).toBeLessThanOrEqual(1);
    expect(tree().length).toBeLessThanOrEqual(PROCESSES);
    const megabytes = tree().map(megabytesOf);
    expect(megabytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(MEGABYTES);

    for (const path of paths) {
      // While other tests keep the machine busy, a new process may not have the snapshot in time.
      const status = async () => (await fetch(`${url}/api/marketdata/${path}`)).status;
      await expect.poll(status, { timeout: 20_000, interval: 1_000, message: path }).toBe(200);
    }
    expect(functions().length).toBeGreaterThanOrEqual(paths.length);
  },
  120_000,
);
