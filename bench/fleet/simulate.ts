/** A fleet of containers with the real client, cache, leases and quota, over days of virtual time. */

import { type Coordination, openCoordination } from '../../shared/coordination/coordination.ts';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import type { SharedTable } from '../../shared/coordination/table.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { currentTicker } from '../../shared/marketdata/answer.ts';
import { history } from '../../shared/marketdata/history.ts';
import type { Offer, ProviderClient } from '../../shared/marketdata/provider.ts';
import { priceIn } from '../../shared/marketdata/running.ts';
import type { SnapshotCache } from '../../shared/marketdata/snapshot/cache.ts';
import type { StoredHistory } from '../../shared/marketdata/store/stored-history.ts';
import { upstreamOf } from '../../shared/marketdata/upstream-rows.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { createClient } from '../../shared/providers/client/client.ts';
import { errorCodec } from '../../shared/providers/client/error-codec.ts';
import { coinpaprika } from '../../shared/providers/coinpaprika/index.ts';
import { countingProvider, type Trouble } from './counting-provider.ts';
import { OwnHistory } from './own-history.ts';
import { Promises } from './promises.ts';
import { PublishedSnapshots, SNAPSHOT_INTERVAL_MS } from './published-snapshots.ts';
import { type Counted, emptyTally, type Tally } from './tally.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { ACTIVE, COINS, LISTED, mix, nextArrival, type Request, randomOf, zipf } from './workload.ts';

/**
 * `ttl`: a cache in each container and no more; `fleet`: table, leases and quota; `snapshot`: tickers of one request
 * too; `history`: and charts of our own history.
 */
export type Strategy = 'ttl' | 'fleet' | 'snapshot' | 'history';
export type TableTrouble = 'none' | 'down' | 'slow';

export interface Scenario {
  readonly strategy: Strategy;
  readonly requestsPerDay: number;
  readonly containers: number;
  /** Simulates an nth of the requests on an nth of the containers, for all coins and the whole budget; 1: all. */
  readonly sample: number;
  readonly warmUpDays: number;
  /** The same for all days of the warm-up but the last: weeks of it would take hours. `sample` unless told. */
  readonly warmUpSample?: number;
  /** Coins of a higher rank are no longer traded; all are unless told. */
  readonly active?: number;
  readonly zipfExponent: number;
  /** By hour of the measured day. */
  readonly troubleAt?: (hour: number) => Trouble;
  readonly tableTroubleAt?: (hour: number) => TableTrouble;
  /** Whether S3 cannot be reached. */
  readonly isStoreDownAt?: (hour: number) => boolean;
}

export interface Outcome extends Tally {
  /** Of the measured day, all coins. */
  readonly upstream: number;
  /** Sent since midnight, at the end of each hour from 0 to 24. */
  readonly upstreamByHour: readonly number[];
  /** The largest number of any day, and whether a day or the month took more than its budget. */
  readonly worstDay: number;
  readonly isOverBudget: boolean;
  readonly tableCalls: number;
  readonly containersSeen: number;
  /** The same for a part of the requests, by `groupOf`. */
  readonly byGroup: Readonly<Record<string, Tally>>;
  /** Upstream requests of each day since the beginning. */
  readonly perDay: readonly number[];
  /** Coins that the backfill has never asked for; undefined without our own history. */
  readonly left: number | undefined;
}

interface Container {
  readonly client: ProviderClient<Offer>;
  readonly spare: ProviderClient<Offer>;
  readonly own: StoredHistory | undefined;
  readonly holder: SnapshotCache | undefined;
  readonly diesAt: number;
}

const unlimited: Coordination = {
  quota: {
    reserve: async () => ({ allowed: true }),
    known: () => undefined,
    usage: undefined,
  },
};

const DAY_MS = 86_400_000;
const MONTHLY = 20_000;
/** Of the longest month; in a shorter one a day gets no more. */
export const A_DAY = Math.floor(MONTHLY / 31);
const SNAPSHOTS_A_DAY = DAY_MS / SNAPSHOT_INTERVAL_MS;
const MEAN_LIFE_MS = 45 * 60_000;
const TIME_TO_ANSWER_MS = 14_500;

/** Runs a scenario from the beginning of a day; `table` must be new. */
export async function simulate(
  scenario: Scenario,
  { clock, start, table }: { clock: VirtualClock; start: number; table: SharedTable },
): Promise<Outcome> {
  const { strategy, sample, warmUpDays, warmUpSample = sample, active = COINS } = scenario;
  const random = randomOf(7);
  const measuredFrom = start + warmUpDays * DAY_MS;
  const end = measuredFrom + DAY_MS;
  const hour = (now: number) => (now - measuredFrom) / 3_600_000;
  const provider = countingProvider(
    clock,
    random,
    (now) => scenario.troubleAt?.(hour(now)) ?? 'none',
    active,
  );
  let tableCalls = 0;

  /** The table as containers see it: real calls stop the virtual clock, troubles take virtual time. */
  async function call<T>(run: () => Promise<T>): Promise<T> {
    tableCalls += 1;
    const trouble = scenario.tableTroubleAt?.(hour(clock.now())) ?? 'none';
    if (trouble === 'down') throw new Error('connect ECONNREFUSED');
    await clock.sleep(trouble === 'slow' ? 5_000 : 5);
    return clock.during(run());
  }
  const remote: SharedTable = {
    get: (key) => call(() => table.get(key)),
    update: (key, change) => call(() => table.update(key, change)),
  };

  const hasHistory = strategy === 'history';
  const hasSnapshot = strategy === 'snapshot' || hasHistory;
  const environment = parseEnvironment({
    TICKER_FRESH_SECONDS: '600',
    UPSTREAM_MONTHLY_BUDGET: String(MONTHLY),
    UPSTREAM_SCHEDULED_DAILY: String(hasSnapshot ? SNAPSHOTS_A_DAY : 0),
    ...(!hasHistory && { UPSTREAM_BACKFILL_DAILY: '0' }),
  });
  const staleWaitMs = Number(environment.STALE_WAIT_MS);

  async function coordinate(): Promise<Coordination> {
    if (strategy === 'ttl') return unlimited;
    const guarded = guardedTable(async () => remote);
    return openCoordination(environment, coinpaprika, errorCodec, guarded);
  }

  const job = createClient<'tickers' | 'ticker'>(coinpaprika, environment, {
    connect: provider.connect,
    coordinate,
    purpose: 'scheduled',
  });
  const isStoreDown = () => scenario.isStoreDownAt?.(hour(clock.now())) ?? false;
  const filling = createClient<'candles' | 'prices'>(coinpaprika, environment, {
    connect: provider.connect,
    coordinate,
    purpose: 'backfill',
  });
  const own = hasHistory ? new OwnHistory(clock, filling, isStoreDown, active) : undefined;
  own?.start(start, end);
  const snapshots = hasSnapshot ? new PublishedSnapshots(clock, job, isStoreDown, own?.store) : undefined;
  snapshots?.start(start, end, warmUpSample === sample ? start : measuredFrom - DAY_MS);

  let containersSeen = 0;
  const fleet = Array.from({ length: Math.max(1, Math.round(scenario.containers / sample)) }, newContainer);
  function newContainer(): Container {
    containersSeen += 1;
    const options = { connect: provider.connect, coordinate };
    return {
      client: createClient<Offer>(coinpaprika, environment, options),
      spare: createClient<Offer>(coinpaprika, environment, { ...options, purpose: 'spare' }),
      own: own?.reader(),
      holder: snapshots?.holder(staleWaitMs),
      diesAt: clock.now() - Math.log(1 - random()) * MEAN_LIFE_MS,
    };
  }

  const tally = emptyTally();
  const byGroup: Record<string, Tally> = {};
  /** Everything is told twice: of all, and of the request's group. */
  const tell = (request: Request, change: (tally: Tally) => void) => {
    change(tally);
    const group = groupOf(request);
    byGroup[group] ??= emptyTally();
    change(byGroup[group]);
  };
  const promises = new Promises();
  /** Requests sent by the end of each hour of the measured day. */
  const upstreamByHour: number[] = [];
  const inFlight = new Set<Promise<void>>();
  const nextRequest = mix(zipf(scenario.zipfExponent, random), random);

  async function serve(request: Request, { client, spare, holder, own }: Container): Promise<void> {
    const askedAt = clock.now();
    const isMeasured = askedAt >= measuredFrom;
    // The registry answers these, as in the handlers.
    if (request.kind === 'unknown') {
      if (isMeasured) tally.unknown += 1;
      return;
    }
    const deadline = askedAt + TIME_TO_ANSWER_MS;
    const isPromised = promises.holds(request, askedAt);
    const isActive = request.coin < active;
    const note = (change: (tally: Tally) => void) => isMeasured && tell(request, change);
    const noteOne = (name: Counted) =>
      note((tally) => {
        tally[name] += 1;
      });
    if (isPromised) noteOne('promised');
    try {
      if (request.kind === 'ticker') {
        const snapshot = await holder?.current();
        const found = await currentTicker(isActive || !own ? client : spare, request.id, {
          freshMs: 600_000,
          deadline,
          staleWaitMs,
          snapshot,
          isActive,
        });
        if (!found.stale) promises.make(request, askedAt);
        note((tally) => void tally.ages.push((clock.now() - found.madeAt) / 1000));
        noteOne(found.stale ? 'stale' : 'fresh');
      } else {
        const { id, quote } = request.query;
        const snapshot = own && (await holder?.current());
        const { stale } = await history(async () => upstreamOf(client, spare), request.query, {
          deadline,
          staleWaitMs,
          isActive,
          price: async () => priceIn(await holder?.current(), id, quote),
          own: own && { store: own, snapshot },
        });
        if (!stale) promises.make(request, askedAt);
        noteOne(stale ? 'stale' : 'fresh');
      }
      note((tally) => void tally.tookMs.push(clock.now() - askedAt));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      noteOne(error.statusCode === 429 ? 'refused' : error.statusCode === 404 ? 'unknown' : 'failed');
      if (isPromised) noteOne('broken');
    }
  }

  function arrive(): void {
    const now = clock.now();
    const index = Math.floor(random() * fleet.length);
    let container = fleet[index];
    if (!container || now >= container.diesAt) {
      container = newContainer();
      fleet[index] = container;
    }
    const served = serve(nextRequest(now), container).finally(() => inFlight.delete(served));
    inFlight.add(served);
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
  for (let day = 0; day <= warmUpDays; day += 1) {
    const before = provider.calls.total;
    await clock.run(start + (day + 1) * DAY_MS - 1);
    // Containers that share nothing each cost what one costs; those that share pay together.
    perDay.push((provider.calls.total - before) * (strategy === 'ttl' ? sample : 1));
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
    tableCalls: tableCalls * sample,
    containersSeen,
    byGroup,
    perDay,
    left: own?.left,
  };
}

/** Who asks for what: coins of the snapshot, others that are still traded, and those that are not; tickers or charts. */
export function groupOf(request: Request): string {
  if (request.kind === 'unknown') return 'unknown';
  const { coin, kind } = request;
  return `${coin < LISTED ? 'listed' : coin < ACTIVE ? 'active' : 'inactive'} ${kind}`;
}
