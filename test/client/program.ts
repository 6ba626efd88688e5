import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

/** For a program that gives up early, because nobody waits for it: a busy machine may take longer. */
export const patient = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'patient.mjs')}` };

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

interface Setting {
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The folder of the programs; by default those of the repository, bundled. */
  readonly folder?: string;
  /** The Node that runs it; the running one unless told. */
  readonly node?: string;
}

/** Runs a terminal program as a process of its own, its streams being pipes, in an empty home unless `env` has one. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { url, env = {}, stdin = '', folder = inject('programs'), node = process.execPath }: Setting = {},
): Promise<Ran> {
  const home = await mkdtemp(join(inject('runFolder'), 'home-'));
  const child = spawn(node, [join(folder, `${program}.mjs`), ...args], {
    env: { PATH: process.env.PATH, HOME: home, ...(url && { MARKETDATA_URL: url }), ...env },
  });
  child.stdin.end(stdin);
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  await rm(home, { recursive: true, force: true });
  return { stdout, stderr, code };
}
