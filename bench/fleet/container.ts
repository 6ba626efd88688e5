/** Lambda containers: deployed bundles; each start creates fresh instances of all their modules. */
import { join } from 'node:path';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { timeOf, type VirtualClock } from './clock.ts';
import type { Network } from './network.ts';

type Handler = (event: unknown, context: object) => Promise<unknown>;
type Program = (globals: Readonly<Record<string, unknown>>) => Promise<{ handler: Handler }>;

export type Container = (event: unknown) => Promise<unknown>;

export interface World {
  readonly clock: VirtualClock;
  readonly network: Network;
  /** Receives a function's log. */
  readonly log: (text: string) => void;
}

/** Replacements of Node's globals for a bundle. */
const NAMES =
  'process, Date, AbortSignal, performance, console, fetch, setTimeout, clearTimeout, setInterval, clearInterval';

/**
 * A folder's bundle as one function, which gets its clock, network and environment as parameters: so a container costs
 * no process, and leaves nothing behind when it ends, unlike an imported module.
 */
export async function programOf(folder: string): Promise<Program> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'index.mjs')],
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'node24', write: false, logLevel: 'silent' },
  });
  const code = outputFiles[0]?.text ?? '';
  // Besides the handler, some export functions for their tests.
  const [statement, names = ''] = /export\s*\{([^}]*)\};?\s*$/.exec(code) ?? [];
  const name = /([\w$]+) as handler\b/.exec(names)?.[1] ?? /\bhandler\b/.exec(names)?.[0];
  if (!statement || !name || /^import\b/m.test(code))
    throw new Error(`${folder} holds no bundle of a handler`);
  const body = code
    .replace(statement, `return { handler: ${name} };`)
    .replaceAll(/\bimport\(("node:[^"]+")\)/g, 'Promise.resolve(process.getBuiltinModule($1))');
  const source = `'use strict'; (async ({ ${NAMES} }) => { ${body}\n})`;
  return new Script(source, { filename: folder }).runInThisContext();
}

/** Starts a container and waits for its init. */
export async function startContainer(
  program: Program,
  environment: Readonly<Record<string, string>>,
  timeoutSeconds: number,
  { clock, network, log }: World,
): Promise<Container> {
  const { globals, modules } = timeOf(clock);
  const streamTo = (write: (text: string) => void) => ({
    value: { write, isTTY: false, on() {}, once() {} },
  });
  const own: NodeJS.Process = Object.create(process, {
    env: { value: { ...environment } },
    ...{ stdout: streamTo(() => {}), stderr: streamTo(log) },
    uptime: { value: () => globals.performance.now() / 1000 },
    getBuiltinModule: { value: (name: string) => builtins[name] ?? process.getBuiltinModule(name) },
  });
  const builtins: Readonly<Record<string, unknown>> = {
    ...modules,
    ...{ 'node:http': network.module, 'node:https': network.module, 'node:process': own },
  };
  const write = (...texts: unknown[]) => log(texts.join(' '));
  const console = { log() {}, info() {}, debug() {}, warn: write, error: write };
  const { handler } = await program({ ...globals, process: own, console });
  return (event) => {
    const deadline = clock.now() + timeoutSeconds * 1000;
    const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => deadline - clock.now() };
    return handler(event, context);
  };
}
