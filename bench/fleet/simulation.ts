/** A service through some days of virtual time: its deployed functions, jobs on their schedules, requests day by day. */
import { join } from 'node:path';
import { startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import type { RegistryEntry } from '../../shared/registry/types.ts';
import { type DeployedFunction, NAME } from '../deployed.ts';
import { owner, VirtualClock } from './clock.ts';
import { type Container, programOf, startContainer } from './container.ts';
import { Network, S3_URL } from './network.ts';
import { startSources } from './sources.ts';
import { Answers, eventFor, type Kind, nextArrival, randomOf, requestsOf, type Tally } from './traffic.ts';

export interface Day {
  readonly requests: number;
  /** Of requests for coins of the snapshot and for unknown ids, and of those for other coins: one in so many is simulated. */
  readonly thinned: { readonly listed: number; readonly others: number };
  readonly containers: number;
  readonly answers: ReadonlyMap<string, Tally>;
  /** Requests by owner and what they are (`Network.counts`). */
  readonly counts: ReadonlyMap<string, number>;
  readonly cpuMs: ReadonlyMap<string, number>;
  /** Virtual seconds of each run of a job: what it waited for answers and for its turn. */
  readonly runs: ReadonlyMap<string, readonly number[]>;
}

interface Options {
  /** Requests of each day. */
  readonly days: readonly number[];
  /** A day's length, for whoever wants less of it. */
  readonly dayMs?: number;
  /** Milliseconds since the epoch. */
  readonly start?: number;
  readonly coins: readonly RegistryEntry[];
  readonly functions: readonly DeployedFunction[];
  readonly bundles: string;
  readonly registry: string;
  readonly onDay?: (day: Day) => void;
  /** Takes what functions write to their logs, and what runs of jobs throw. */
  readonly onFault: (text: string) => void;
}

const DAY_MS = 86_400_000;
const MEAN_LIFE_MS = 45 * 60_000;
/** Between the first runs of two jobs, which rates begin whenever they are deployed. */
const PHASE_MS = 17_000;
/** The free plan's list of tickers. */
const LISTED = 2_000;
/** As many requests of a day are simulated, at most about. */
const SIMULATED = { listed: 40_000, others: 30_000 };
const OTHERS_SHARE = 0.3;

/** The containers of a function, of which one in `size` is asked each time; each lives for some time. */
class Pool {
  size = 1;
  readonly #slots: { container: Promise<Container>; diesAt: number; busy: number }[] = [];
  readonly #start: () => Promise<Container>;
  readonly #now: () => number;
  readonly #random: () => number;

  constructor(start: () => Promise<Container>, now: () => number, random: () => number) {
    this.#start = start;
    this.#now = now;
    this.#random = random;
  }

  async invoke(event: unknown): Promise<unknown> {
    const index = Math.floor(this.#random() * this.size);
    let slot = this.#slots[index];
    if (!slot || (this.#now() >= slot.diesAt && slot.busy === 0)) {
      void slot?.container.then((old) => old.end());
      const diesAt = this.#now() - Math.log(1 - this.#random()) * MEAN_LIFE_MS;
      slot = { container: this.#start(), diesAt, busy: 0 };
      this.#slots[index] = slot;
    }
    slot.busy += 1;
    try {
      return await (await slot.container).invoke(event);
    } finally {
      slot.busy -= 1;
    }
  }
}

/** Returns what the days were like, and what the bucket holds after them. */
export async function simulate(options: Options) {
  const { start = Date.UTC(2026, 11, 1), dayMs = DAY_MS, functions, coins, onFault } = options;
  const clock = new VirtualClock(start);
  const random = randomOf(7);
  const [sources, dynamoDb] = await Promise.all([startSources(coins, clock.now), startDynamoDb()]);
  await createKeyedTable(dynamoDb, NAME);
  const network = new Network(clock, dynamoDb.url, sources.nameOf);
  const world = { clock, network, log: onFault };
  const answers = new Answers();
  let runs = new Map<string, number[]>();

  async function poolOf({
    folder,
    environment,
    hasRegistry,
    timeoutSeconds,
  }: DeployedFunction): Promise<Pool> {
    const program = await programOf(join(options.bundles, folder));
    const own = {
      ...{ ...environment, ...dynamoDb.environment, ...sources.environment, METRICS: 'off' },
      AWS_ENDPOINT_URL_S3: S3_URL,
      ...(hasRegistry && { REGISTRY_PATH: options.registry }),
    };
    return new Pool(() => startContainer(program, own, timeoutSeconds, world), clock.now, random);
  }

  async function run(name: string, pool: Pool): Promise<void> {
    const startedAt = clock.now();
    await pool.invoke({}).catch((error: unknown) => onFault(`${name}: ${error}`));
    runs.set(name, [...(runs.get(name) ?? []), (clock.now() - startedAt) / 1000]);
  }

  // The probe asks over the internet, as users do.
  const jobs = functions.filter(({ name, everyMinutes }) => everyMinutes && !name.endsWith('/probe'));
  for (const [index, job] of jobs.entries()) {
    const pool = await poolOf(job);
    const name = job.name.replace('marketdata/', '');
    const runAndAgain = () => {
      clock.after((job.everyMinutes ?? 0) * 60_000, runAndAgain);
      void run(name, pool);
    };
    owner.run(`job ${name}`, () => clock.after(PHASE_MS * (index + 1), runAndAgain));
  }
  const routes = new Map<string, Pool>();
  for (const route of ['ticker', 'ohlcv']) {
    const fn = functions.find(({ name }) => name === `marketdata/${route}`);
    if (fn) routes.set(route, await poolOf(fn));
  }
  const active = coins.filter(({ is_active }) => is_active).sort((a, b) => a.rank - b.rank);
  const ofKind = (kind: Kind, some: readonly RegistryEntry[]) => some.map(({ id }) => ({ id, kind }));
  const next = requestsOf(
    [
      ...ofKind('snapshot', active.slice(0, LISTED)),
      ...ofKind('tail', active.slice(LISTED)),
      ...ofKind(
        'inactive',
        coins.filter(({ is_active }) => !is_active),
      ),
    ],
    random,
  );

  /** The next request of a day that is simulated, and so on. */
  function arrive({ requests, thinned }: Pick<Day, 'requests' | 'thinned'>, until: number): void {
    const least = Math.min(thinned.listed, thinned.others);
    for (let time = clock.now(); time < until; ) {
      time = nextArrival(time, requests / least, random);
      const request = next();
      const part = ['snapshot', 'unknown'].includes(request.kind) ? 'listed' : 'others';
      if (random() >= least / thinned[part] || time >= until) continue;
      const serve = async () => {
        arrive({ requests, thinned }, until);
        const answer = await routes.get(request.route)?.invoke(eventFor(request, random));
        answers.add(request, answer, clock.now());
      };
      owner.run(`route ${part}`, () => clock.after(time - clock.now(), () => void serve()));
      return;
    }
  }

  const days: Day[] = [];
  let before: Pick<Day, 'counts' | 'cpuMs'> = { counts: new Map(), cpuMs: new Map() };
  for (const [index, requests] of options.days.entries()) {
    const thinned = {
      listed: Math.ceil((requests * (1 - OTHERS_SHARE)) / SIMULATED.listed) || 1,
      others: Math.ceil((requests * OTHERS_SHARE) / SIMULATED.others) || 1,
    };
    // As many as Lambda would have.
    const containers = Math.max(1, Math.round(5 * (requests / 10_000) ** (2 / 3)));
    for (const pool of routes.values()) pool.size = Math.max(1, Math.round(containers / thinned.listed));
    const until = start + (index + 1) * dayMs;
    if (requests > 0) arrive({ requests, thinned }, until);
    while (clock.now() < until) {
      await clock.run(Math.min(until, clock.now() + DAY_MS / 24));
      sources.forgetRequests();
    }
    const now = { counts: new Map(network.counts), cpuMs: new Map(clock.cpuMs) };
    const since = { counts: minus(now.counts, before.counts), cpuMs: minus(now.cpuMs, before.cpuMs) };
    const day = { requests, thinned, containers, answers: answers.byKind, runs, ...since };
    [before, runs, answers.byKind] = [now, new Map(), new Map()];
    days.push(day);
    options.onDay?.(day);
  }
  await Promise.all([sources.close(), dynamoDb.close()]);
  return { days, objects: network.bucket.objects };
}

function minus(now: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...now].map(([name, count]) => [name, count - (before.get(name) ?? 0)]));
}
