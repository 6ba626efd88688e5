/** A service over some days of virtual time: its deployed functions, jobs on their schedules, requests day by day. */
import { join } from 'node:path';
import { startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { startS3Server } from '../../local/s3.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { type DeployedFunction, type Deployment, NAME } from '../deployed.ts';
import { AgeMeter, type Maker, type PriceAges } from './ages.ts';
import { owner, VirtualClock } from './clock.ts';
import { type Container, programOf, startContainer } from './container.ts';
import { Network } from './network.ts';
import { startSources } from './sources.ts';
import { Answers, eventFor, type Kind, nextArrival, randomOf, requestsOf, type Tally } from './traffic.ts';

interface Traffic {
  readonly requests: number;
  /** One request in this many is simulated: `listed` for coins of the snapshot and unknown ids, `others` for other coins. */
  readonly thinned: { readonly listed: number; readonly others: number };
  readonly containers: number;
}

export interface Day extends Traffic {
  readonly answers: ReadonlyMap<string, Tally>;
  /** Requests by owner and kind (`Network.counts`). */
  readonly counts: ReadonlyMap<string, number>;
  readonly cpuMs: ReadonlyMap<string, number>;
  /** Virtual seconds of each run of a job: waiting for responses and for its turn. */
  readonly runs: ReadonlyMap<string, readonly number[]>;
  /** Of coins that an exchange trades. */
  readonly ages: ReadonlyMap<Maker | 'all', PriceAges>;
}

interface Options extends Deployment {
  /** Requests of each day. */
  readonly days: readonly number[];
  /** A day's length, which tests shorten. */
  readonly dayMs?: number;
  /** Milliseconds since the epoch. */
  readonly start?: number;
  /** How many coins have markets at exchanges. */
  readonly traded?: number | undefined;
  readonly onDay?: (day: Day) => void;
  /** Receives functions' logs and errors of jobs. */
  readonly onFault: (text: string) => void;
}

const DAY_MS = 86_400_000;
const MEAN_LIFE_MS = 45 * 60_000;
/** The time between the first runs of two jobs, because rates start at deployment. */
const PHASE_MS = 17_000;
/** The time after which Lambda retries a failed run. */
const RETRY_MS = 60_000;
/** The free plan's list of tickers. */
const LISTED = 2_000;
/** The approximate maximum of simulated requests per day. */
const SIMULATED = { listed: 40_000, others: 30_000 };
const OTHERS_SHARE = 0.3;

/** Invokes a random container of a function, out of this many. */
type Pool = (event: unknown, size: number) => Promise<unknown>;

/** Returns the days' results, sources' loads and refusals in all of them, and S3's content after them, by path. */
export async function simulate(options: Options) {
  const { start = Date.UTC(2026, 11, 1), dayMs = DAY_MS, functions, coins, onFault } = options;
  const clock = new VirtualClock(start);
  const random = randomOf(7);
  const sources = await startSources(coins, clock.now, options.traded);
  const [s3, dynamoDb] = await Promise.all([startS3Server(), startDynamoDb()]);
  await createKeyedTable(dynamoDb, NAME);
  const stores: Readonly<Record<string, string>> = { [s3.url]: 's3', [dynamoDb.url]: 'table' };
  const network = new Network(clock, ({ origin, href }) => stores[origin] ?? sources.nameOf(href));
  const world = { clock, network, log: onFault };
  const answers = new Answers();
  const ages = new AgeMeter(sources.traded, start);
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
      ...{ AWS_ENDPOINT_URL_S3: s3.url, ...(hasRegistry && { REGISTRY_PATH: options.registry }) },
    };
    const slots: { readonly container: Promise<Container>; readonly diesAt: number }[] = [];
    return async (event, size) => {
      const index = Math.floor(random() * size);
      let slot = slots[index];
      if (!slot || clock.now() >= slot.diesAt) {
        const diesAt = clock.now() - Math.log(1 - random()) * MEAN_LIFE_MS;
        slot = { container: startContainer(program, own, timeoutSeconds, world), diesAt };
        slots[index] = slot;
      }
      return (await slot.container)(event);
    };
  }

  async function run(name: string, pool: Pool, retries: number): Promise<void> {
    const startedAt = clock.now();
    await pool({}, 1).catch((error: unknown) => {
      onFault(`${name}: ${error}`);
      if (retries > 0) clock.after(RETRY_MS, () => void run(name, pool, retries - 1));
    });
    runs.set(name, [...(runs.get(name) ?? []), (clock.now() - startedAt) / 1000]);
  }

  // The probe uses the internet, as users do.
  const jobs = functions.filter(({ name, everyMinutes }) => everyMinutes && !name.endsWith('/probe'));
  for (const [index, job] of jobs.entries()) {
    const pool = await poolOf(job);
    const name = job.name.replace('marketdata/', '');
    const runAndAgain = () => {
      clock.after((job.everyMinutes ?? 0) * 60_000, runAndAgain);
      void run(name, pool, job.retries);
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

  /** Schedules the day's next simulated request, repeatedly. */
  function arrive({ requests, thinned, containers }: Traffic, until: number): void {
    const size = Math.max(1, Math.round(containers / thinned.listed));
    const least = Math.min(thinned.listed, thinned.others);
    for (let time = clock.now(); time < until; ) {
      time = nextArrival(time, requests / least, random);
      const request = next();
      const part = ['snapshot', 'unknown'].includes(request.kind) ? 'listed' : 'others';
      if (random() >= least / thinned[part] || time >= until) continue;
      const serve = async () => {
        arrive({ requests, thinned, containers }, until);
        const answer = await routes.get(request.route)?.(eventFor(request, random), size);
        answers.add(request, answer, clock.now());
        ages.add(request, answer, clock.now());
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
    // The number that Lambda would run.
    const containers = Math.max(1, Math.round(5 * (requests / 10_000) ** (2 / 3)));
    const until = start + (index + 1) * dayMs;
    if (requests > 0) arrive({ requests, thinned, containers }, until);
    while (clock.now() < until) {
      await clock.run(Math.min(until, clock.now() + DAY_MS / 24));
      sources.forgetRequests();
    }
    const now = { counts: new Map(network.counts), cpuMs: new Map(clock.cpuMs) };
    const since = { counts: minus(now.counts, before.counts), cpuMs: minus(now.cpuMs, before.cpuMs) };
    const day = { requests, thinned, containers, answers: answers.byKind, runs, ages: ages.take(), ...since };
    before = now;
    runs = new Map();
    answers.byKind = new Map();
    days.push(day);
    options.onDay?.(day);
  }
  const refusals = sources.refusals();
  await Promise.all([sources.close(), s3.close(), dynamoDb.close()]);
  return { days, loads: network.loads, refusals, objects: s3.objects };
}

export type Simulation = Awaited<ReturnType<typeof simulate>>;

function minus(now: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...now].map(([name, count]) => [name, count - (before.get(name) ?? 0)]));
}
