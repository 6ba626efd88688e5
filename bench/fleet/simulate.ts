/** A fleet of containers with the real client, cache, leases and quota, over days of virtual time. */

import type { SharedTable } from '../../shared/coordination/table.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { Promises } from './promises.ts';
import { A_DAY, MONTHLY, type Outcome, type Scenario } from './scenario.ts';
import { serve } from './serve.ts';
import { emptyTally, type Tally } from './tally.ts';
import type { VirtualClock } from './virtual-clock.ts';
import {
  ACTIVE,
  COINS,
  isToken,
  LISTED,
  MAPPED,
  mix,
  nextArrival,
  type Request,
  randomOf,
  zipf,
} from './workload.ts';
import { type Container, openWorld } from './world.ts';

const MEAN_LIFE_MS = 45 * 60_000;

/** Runs a scenario from the beginning of a day; `table` must be new. */
export async function simulate(
  scenario: Scenario,
  { clock, start, table }: { clock: VirtualClock; start: number; table: SharedTable },
): Promise<Outcome> {
  const { strategy, sample, warmUpDays, warmUpSample = sample, active = COINS } = scenario;
  const random = randomOf(7);
  const measuredFrom = start + warmUpDays * DAY_MS;
  const end = measuredFrom + DAY_MS;
  const world = openWorld(scenario, { clock, table, random, start, measuredFrom });
  const { provider, counting, sources, own, staleWaitMs } = world;

  let containersSeen = 0;
  const fleet = Array.from({ length: Math.max(1, Math.round(scenario.containers / sample)) }, newContainer);
  function newContainer(): Container & { readonly diesAt: number } {
    containersSeen += 1;
    return { ...world.newContainer(), diesAt: clock.now() - Math.log(1 - random()) * MEAN_LIFE_MS };
  }

  const tally = emptyTally();
  const byGroup: Record<string, Tally> = {};
  /** Everything is told twice: of all, and of the request's group. */
  const tell = (request: Request, change: (tally: Tally) => void) => {
    change(tally);
    const group = groupOf(request, strategy === 'sources');
    byGroup[group] ??= emptyTally();
    change(byGroup[group]);
  };
  const serving = { clock, promises: new Promises(), staleWaitMs, active, measuredFrom, tell };
  /** Requests sent by the end of each hour of the measured day. */
  const upstreamByHour: number[] = [];
  const inFlight = new Set<Promise<void>>();
  const nextRequest = mix(zipf(scenario.zipfExponent, random), random);

  function arrive(): void {
    const now = clock.now();
    const index = Math.floor(random() * fleet.length);
    let container = fleet[index];
    if (!container || now >= container.diesAt) {
      container = newContainer();
      fleet[index] = container;
    }
    const request = nextRequest(now);
    // The registry answers these, as in the handlers.
    if (request.kind === 'unknown') tally.unknown += now >= measuredFrom ? 1 : 0;
    else {
      const served = serve(request, container, serving).finally(() => inFlight.delete(served));
      inFlight.add(served);
    }
    comeAfter(now);
  }

  function comeAfter(now: number): void {
    const isSparse = now < measuredFrom - DAY_MS;
    const next = nextArrival(now, scenario.requestsPerDay / (isSparse ? warmUpSample : sample), random);
    if (next < end) clock.at(next, arrive);
  }

  for (let hours = 0; hours <= 24; hours += 1) {
    clock.at(measuredFrom + hours * 3_600_000 - 1, () => void upstreamByHour.push(provider.calls.total));
  }
  comeAfter(start);
  const perDay: number[] = [];
  let [askedBefore, tooManyBefore] = [{ ...counting?.calls }, { ...counting?.refused }];
  for (let day = 0; day <= warmUpDays; day += 1) {
    const before = provider.calls.total;
    [askedBefore, tooManyBefore] = [{ ...counting?.calls }, { ...counting?.refused }];
    await clock.run(start + (day + 1) * DAY_MS - 1);
    // Containers that share nothing each cost what one costs; those that share pay together.
    perDay.push((provider.calls.total - before) * (strategy === 'ttl' ? sample : 1));
    if (sources) {
      const { exchanges, tokens } = sources;
      process.stderr.write(
        `  day ${day + 1}: ${exchanges.mapped.size} coins with a market, ${tokens.priced.size} in the tail, ${own?.left} never asked for, ${JSON.stringify(since(askedBefore, counting?.calls))}\n`,
      );
    }
  }
  await clock.run(end + 60_000);
  await Promise.all(inFlight);

  const months = Object.values(
    Object.groupBy(
      perDay.map((requests, day) => ({ requests, month: new Date(start + day * DAY_MS).getUTCMonth() })),
      ({ month }) => month,
    ),
  ).map((days = []) => days.reduce((sum, { requests }) => sum + requests, 0));
  const worstDay = Math.max(...perDay);
  return {
    ...tally,
    upstream: perDay.at(-1) ?? 0,
    upstreamByHour: upstreamByHour.map((total) => total - (upstreamByHour[0] ?? 0)),
    worstDay,
    isOverBudget: worstDay > A_DAY || Math.max(...months) > MONTHLY,
    tableCalls: world.tableCalls * sample,
    containersSeen,
    byGroup,
    perDay,
    left: own?.left,
    asked: since(askedBefore, counting?.calls),
    tooMany: since(tooManyBefore, counting?.refused),
    mapped: sources?.exchanges.mapped.size ?? 0,
    priced: sources?.tokens.priced.size ?? 0,
  };
}

function since(
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>> = {},
): Record<string, number> {
  return Object.fromEntries(Object.entries(now).map(([name, count]) => [name, count - (before[name] ?? 0)]));
}

/** Who asks for what: coins of the snapshot, others that are still traded, and those that are not; tickers or charts. */
function groupOf(request: Request, hasSources: boolean): string {
  if (request.kind === 'unknown') return 'unknown';
  const { coin, kind } = request;
  if (hasSources && coin < MAPPED) return `mapped ${kind}`;
  if (hasSources && coin >= LISTED && coin < ACTIVE && isToken(coin)) return `token ${kind}`;
  return `${coin < LISTED ? 'listed' : coin < ACTIVE ? 'active' : 'inactive'} ${kind}`;
}
