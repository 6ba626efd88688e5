/** All that a fleet has in common: providers, table, jobs and what they publish; and what each container has of it. */
import { type Coordination, openCoordination } from '../../shared/coordination/coordination.ts';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import type { SharedTable } from '../../shared/coordination/table.ts';
import type { CoinOffer, MarketDataProvider, Offer, Offering } from '../../shared/marketdata/provider.ts';
import type { ProviderClient } from '../../shared/marketdata/provider-client.ts';
import type { SnapshotCache } from '../../shared/marketdata/snapshot/cache.ts';
import type { StoredHistory } from '../../shared/marketdata/store/stored-history.ts';
import type { TailReader } from '../../shared/marketdata/tail/tail.ts';
import { type Environment, parseEnvironment } from '../../shared/platform/environment.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { createClient } from '../../shared/providers/client/client.ts';
import { errorCodec } from '../../shared/providers/client/error-codec.ts';
import { coinpaprika } from '../../shared/providers/coinpaprika/index.ts';
import { type CountingProvider, countingProvider } from './counting-provider.ts';
import { type CountingSources, countingSources } from './counting-sources.ts';
import { OwnHistory } from './own-history.ts';
import { PublishedSnapshots, SNAPSHOT_INTERVAL_MS } from './published-snapshots.ts';
import { MONTHLY, type Scenario } from './scenario.ts';
import { openSources, type Sources } from './sources.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { COINS } from './workload.ts';

/** Other sources are asked as often as deployed for so long before the measured day. */
const SOURCES_BEFORE_MS = DAY_MS / 4;
const SNAPSHOTS_A_DAY = DAY_MS / SNAPSHOT_INTERVAL_MS;

export interface Container {
  readonly client: ProviderClient<CoinOffer>;
  readonly spare: ProviderClient<CoinOffer>;
  readonly own: StoredHistory | undefined;
  readonly holder: SnapshotCache | undefined;
  readonly tail: TailReader | undefined;
}

export interface World {
  readonly provider: CountingProvider;
  /** Undefined unless other sources are asked. */
  readonly counting: CountingSources | undefined;
  readonly sources: Sources | undefined;
  readonly own: OwnHistory | undefined;
  readonly staleWaitMs: number;
  readonly tableCalls: number;
  newContainer(): Container;
}

interface Surroundings {
  readonly clock: VirtualClock;
  readonly table: SharedTable;
  readonly random: () => number;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly measuredFrom: number;
}

const unlimited: Coordination = {
  quota: {
    reserve: async () => ({ allowed: true }),
    known: () => undefined,
    usage: undefined,
  },
};

/** Makes it, and starts its jobs. */
export function openWorld(scenario: Scenario, surroundings: Surroundings): World {
  const { clock, table, random, start, measuredFrom } = surroundings;
  const { strategy, sample, warmUpSample = sample, active = COINS } = scenario;
  const hour = () => (clock.now() - measuredFrom) / 3_600_000;
  const provider = countingProvider(clock, random, () => scenario.troubleAt?.(hour()) ?? 'none', active);
  const isStoreDown = () => scenario.isStoreDownAt?.(hour()) ?? false;
  let tableCalls = 0;

  /** The table as containers see it: real calls stop the virtual clock, troubles take virtual time. */
  async function call<T>(run: () => Promise<T>): Promise<T> {
    tableCalls += 1;
    const trouble = scenario.tableTroubleAt?.(hour()) ?? 'none';
    if (trouble === 'down') throw new Error('connect ECONNREFUSED');
    await clock.sleep(trouble === 'slow' ? 5_000 : 5);
    return clock.during(run());
  }
  const remote: SharedTable = {
    get: (key) => call(() => table.get(key)),
    update: (key, change) => call(() => table.update(key, change)),
  };

  const hasSources = strategy === 'sources';
  const hasHistory = strategy === 'history' || hasSources;
  const hasSnapshot = strategy === 'snapshot' || hasHistory;
  const environment = parseEnvironment({
    TICKER_FRESH_SECONDS: '600',
    UPSTREAM_MONTHLY_BUDGET: String(MONTHLY),
    UPSTREAM_SCHEDULED_DAILY: String(hasSnapshot ? SNAPSHOTS_A_DAY : 0),
    ...(!hasHistory && { UPSTREAM_BACKFILL_DAILY: '0' }),
  });
  const staleWaitMs = Number(environment.STALE_WAIT_MS);

  async function coordinate(of: Environment, asked: MarketDataProvider): Promise<Coordination> {
    if (strategy === 'ttl') return unlimited;
    const guarded = guardedTable(async () => remote);
    return openCoordination(of, asked, errorCodec, guarded);
  }
  /** A client of CoinPaprika. */
  function clientFor<O extends Offer>(
    purpose: 'answer' | 'spare' | 'scheduled' | 'backfill',
    asked: Offering<O>,
  ): ProviderClient<O> {
    return createClient(asked, environment, { connect: provider.connect, coordinate, purpose });
  }

  const counting = hasSources ? countingSources(clock, random) : undefined;
  const filling = clientFor<'candles' | 'prices'>('backfill', coinpaprika);
  const own = hasHistory ? new OwnHistory({ clock, client: filling, isStoreDown, active }) : undefined;
  const sources =
    counting && own && openSources({ clock, environment, coordinate, counting, clientFor, own, active });
  const snapshots = hasSnapshot
    ? new PublishedSnapshots({
        clock,
        client: clientFor<'tickers' | 'ticker'>('scheduled', coinpaprika),
        isStoreDown,
        history: own?.store,
        quotes: sources && (() => sources.exchanges.quotes()),
      })
    : undefined;
  const running = {
    from: start,
    end: measuredFrom + DAY_MS,
    sparseUntil: warmUpSample === sample ? start : measuredFrom - DAY_MS,
  };
  own?.start(running.from, running.end, sources?.isServed);
  snapshots?.start(running.from, running.end, running.sparseUntil);
  const isSparse = running.sparseUntil > start;
  if (snapshots)
    sources?.start(snapshots, {
      ...running,
      sparseUntil: isSparse ? measuredFrom - SOURCES_BEFORE_MS : start,
    });

  return {
    ...{ provider, counting, sources, own, staleWaitMs },
    get tableCalls() {
      return tableCalls;
    },
    newContainer: () => ({
      client: clientFor<CoinOffer>('answer', coinpaprika),
      spare: clientFor<CoinOffer>('spare', coinpaprika),
      own: own?.reader(),
      holder: snapshots?.holder(staleWaitMs),
      tail: sources?.tokens.reader(),
    }),
  };
}
