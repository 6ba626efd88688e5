/** An Ethereum node on loopback (anvil, from npm): a process of its own, which mines a block for each transaction. */
import { chains } from '../../shared/chains.ts';
import { startServer } from '../loopback.ts';

export interface Anvil {
  readonly url: string;
  readonly pid: number | undefined;
  /** Ends the node at once; its chain is lost. */
  close(): Promise<void>;
  /** Ends the node after it has written its state, if it has a file for it. */
  stop(): Promise<void>;
}

export interface AnvilOptions {
  /** 0, the default, picks a free port. */
  readonly port?: number;
  /** Keeps the chain between runs. */
  readonly stateFile?: string;
  /** A chain id other than the local chain's, for tests. */
  readonly chainId?: number;
}

/** Starts a node. Throws an Error if its binary is not installed for this machine, or does not start. */
export async function startAnvil({
  port = 0,
  stateFile,
  chainId = chains.local.chainId,
}: AnvilOptions = {}): Promise<Anvil> {
  const program = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}/bin/anvil`;
  // All contracts and pools fit into one block.
  const args = ['--host', '127.0.0.1', '--port', String(port), '--gas-limit', '100000000', '--threads', '1'];
  // If this process's clock is frozen, the chain must not be ahead of it.
  args.push('--timestamp', String(Math.floor(Date.now() / 1000)));
  args.push('--chain-id', String(chainId), ...(stateFile ? ['--state', stateFile] : []));
  const { pid, said, end } = await startServer('Ethereum node', program, args, /Listening on (\S+)/);
  return { url: `http://${said}`, pid, close: () => end(), stop: () => end('SIGINT') };
}
