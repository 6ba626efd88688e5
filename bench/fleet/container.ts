/** Containers of Lambda: deployed bundles, each start of which is a fresh instance of all their modules. */
import fs from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { timeOf, type VirtualClock } from './clock.ts';
import type { Network } from './network.ts';

type Handler = (event: unknown, context: object) => Promise<unknown>;
type Program = (globals: Readonly<Record<string, unknown>>) => Promise<{ handler: Handler }>;

export interface Container {
  invoke(event: unknown): Promise<unknown>;
  /** Its timers do nothing from now on. */
  end(): void;
}

export interface World {
  readonly clock: VirtualClock;
  readonly network: Network;
  /** Takes what a function writes to its log. */
  readonly log: (text: string) => void;
}

/** What a bundle sees in place of Node's globals. */
const NAMES =
  'process, Date, AbortSignal, performance, console, fetch, setTimeout, setInterval, clearTimeout, clearInterval';

/**
 * The bundle of a folder as one function, which gets its clock, its network and its environment as parameters: so a
 * container costs no process, and nothing of it is left when it has ended, as there would be of an imported module.
 */
export async function programOf(folder: string): Promise<Program> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'index.mjs')],
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'node24', write: false, logLevel: 'silent' },
  });
  const code = outputFiles[0]?.text ?? '';
  const [statement, name] = /export\s*\{\s*(\w+)(?: as handler)?\s*\};?\s*$/.exec(code) ?? [];
  if (!statement || /^import\b/m.test(code)) throw new Error(`${folder} holds no bundle of a handler`);
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
  let hasEnded = false;
  const { globals, modules } = timeOf(clock, () => hasEnded);
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
    ...{ 'node:http': network.module, 'node:https': network.module },
    ...{ 'node:process': own, 'node:fs': { ...fs, readFileSync: readOnce } },
  };
  const write = (...texts: unknown[]) => log(texts.join(' '));
  const console = { log() {}, info() {}, debug() {}, warn: write, error: write };
  const { handler } = await program({ ...globals, process: own, console });
  return {
    invoke(event) {
      const deadline = clock.now() + timeoutSeconds * 1000;
      const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => deadline - clock.now() };
      return handler(event, context);
    },
    end() {
      hasEnded = true;
    },
  };
}

const contents = new Map<string, unknown>();

/** The registry is the same in all containers, and has 7 MB. */
function readOnce(...[path, options]: Parameters<typeof fs.readFileSync>) {
  const key = `${path}\t${JSON.stringify(options)}`;
  if (!contents.has(key)) contents.set(key, fs.readFileSync(path, options));
  return contents.get(key);
}
