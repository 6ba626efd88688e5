/**
 * The simulated sources in a process of their own, for a server that forks it with faults as arguments. It sends one message, and
 * ends with the other process. `POST <past>/<name>` completes an object of the history with its past: the body is what is stored,
 * if anything, and 204 means that nothing is missing.
 */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { variables } from '../../shared/platform/environment.ts';
import { messageOf } from '../../shared/platform/message-of.ts';
import { listen } from '../loopback.ts';
import { readFaults } from './faults.ts';
import { realLimits, startSimulated } from './index.ts';
import { seedStore } from './past.ts';

/** What it sends when it is ready. */
export interface SimulatedSources {
  /** The variables with the sources' addresses. */
  readonly environment: Readonly<Record<string, string>>;
  /** The address of the past. */
  readonly past: string;
  /** The names of objects, without a bucket, that a store with a past has from the beginning, and of those that it lists. */
  readonly seeds: readonly string[];
  readonly listed: readonly string[];
}

const BUCKET = 'past';
const ROOT = `/${BUCKET}/`;

const simulated = await startSimulated({
  limits: realLimits,
  coins: simulatedEntries(),
  faults: faultsIn(process.argv.slice(2)),
});
const objects = new Map<string, Buffer>();
const exchanges = process.env.CANDLE_SOURCES ?? variables.CANDLE_SOURCES.default;
const store = seedStore(objects, BUCKET, simulated, exchanges.split(','));
const nameOf = (path: string) => decodeURIComponent(path.slice(ROOT.length));
const seeds = [...objects.keys()].map(nameOf);
const asked = new Set<string>();

// As in `server.ts`: the other process ends connections.
const past = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
  const path = ROOT + (request.url ?? '').slice(1);
  const stored = await buffer(request);
  if (asked.has(path)) return void response.writeHead(204).end();
  asked.add(path);
  if (stored.length > 0) objects.set(path, stored);
  const content = store.get(path);
  objects.delete(path);
  const isMade = content !== undefined && content !== stored;
  response.writeHead(isMade ? 200 : 204).end(isMade ? content : undefined);
});
const message: SimulatedSources = {
  environment: simulated.environment,
  past: await listen(past),
  seeds,
  listed: [...store.keys(ROOT)].map(nameOf),
};
process.send?.(message);
process.on('disconnect', () => process.exit());
void store.prepare();

/** Ends the process if a text is bad. */
function faultsIn(texts: readonly string[]): ReturnType<typeof readFaults> {
  try {
    return readFaults(texts);
  } catch (error) {
    console.error(`--fault: ${messageOf(error)}`);
    process.exit(2);
  }
}
