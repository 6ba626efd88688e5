/** An Ethereum node on loopback (anvil, from npm): a process of its own, which mines a block for each transaction. */
import { chains } from '../../shared/chains.ts';
import { startServer } from '../loopback.ts';

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

/** Starts a node. Throws an Error if its binary is not installed for this machine, or does not start. */
export async function startAnvil({
  port = 0,
  stateFile,
  chainId = chains.local.chainId,
}: AnvilOptions = {}): Promise<Anvil> {
  const program = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}/bin/anvil`;
  // Everything that the contracts and pools take fits into one block.
  const args = ['--host', '127.0.0.1', '--port', String(port), '--gas-limit', '100000000', '--threads', '1'];
  // Where the clock of this process stands still, the chain must not be ahead of it.
  args.push('--timestamp', String(Math.floor(Date.now() / 1000)));
  args.push('--chain-id', String(chainId), ...(stateFile ? ['--state', stateFile] : []));
  const { pid, said, end } = await startServer('Ethereum node', program, args, /Listening on (\S+)/);
  return { url: `http://${said}`, pid, close: () => end(), stop: () => end('SIGINT') };
}
