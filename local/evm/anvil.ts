/** An Ethereum node on loopback (anvil, from npm): a process of its own, which mines a block for each transaction. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { chains } from '../../shared/evm/chains.ts';
import { killAtExit } from '../children.ts';

export interface Anvil {
  readonly url: string;
  readonly pid: number | undefined;
  /** Ends the node at once, and with it the chain. */
  close(): Promise<void>;
  /** Ends the node and lets it write its state first, if it was given a file. */
  stop(): Promise<void>;
}

export interface AnvilOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Keeps the chain between two runs. */
  readonly stateFile?: string;
  /** Other than the local chain's, for tests. */
  readonly chainId?: number;
}

const START_TIMEOUT_MS = 10_000;

/** Starts a node. Throws an Error if its binary is not installed for this machine, or does not start. */
export async function startAnvil({
  port = 0,
  stateFile,
  chainId = chains.local.chainId,
}: AnvilOptions = {}): Promise<Anvil> {
  // Everything that the contracts and pools take fits into one block.
  const args = ['--host', '127.0.0.1', '--port', String(port), '--gas-limit', '100000000', '--threads', '1'];
  // Where the clock of this process stands still, the chain must not be ahead of it.
  args.push('--timestamp', String(Math.floor(Date.now() / 1000)));
  args.push('--chain-id', String(chainId), ...(stateFile ? ['--state', stateFile] : []));
  const child = spawn(binary(), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  killAtExit(child);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  const address = await listening(child);
  return { url: `http://${address}`, pid: child.pid, close: () => end('SIGKILL'), stop: () => end('SIGINT') };
}

function binary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/anvil`);
  } catch {
    throw new Error(`The local Ethereum node is not installed for this machine (${name})`);
  }
}

async function listening(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      const [, address] = /Listening on (\S+)/.exec(line) ?? [];
      if (address) resolve(address);
      if (said.length < 100) said.push(line); // enough to say what went wrong
    });
  }
  const fail = (what: string) =>
    reject(new Error(`The local Ethereum node ${what}: ${said.slice(-5).join(' ')}`));
  child.on('error', (error) => fail(error.message));
  child.on('exit', () => fail('ended'));
  const timer = setTimeout(() => fail('did not start in time'), START_TIMEOUT_MS);
  try {
    return await promise;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
