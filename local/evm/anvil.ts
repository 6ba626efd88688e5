/** An Ethereum node on loopback (anvil, from npm): a process of its own, which mines a block for each transaction. */
import { chains } from '../../shared/chains.ts';
import { startServer } from '../loopback.ts';

export interface Anvil {
  readonly url: string;
  readonly pid: number | undefined;
  /** Ends the node at once; its chain is lost. */
  close(): Promise<void>;
}

/** Starts a node on a free port. Throws an Error if its binary is not installed for this machine, or does not start. */
export async function startAnvil(): Promise<Anvil> {
  const program = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}/bin/anvil`;
  const args = ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(chains.local.chainId)];
  // All contracts and pools fit into one block.
  args.push('--gas-limit', '100000000', '--threads', '1');
  // If this process's clock is frozen, the chain must not be ahead of it.
  args.push('--timestamp', String(Math.floor(Date.now() / 1000)));
  const { pid, printed, end } = await startServer('Ethereum node', program, args, /Listening on (\S+)/);
  return { url: `http://${printed}`, pid, close: end };
}
