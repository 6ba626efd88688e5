/** The other sources of the simulation: their jobs, each with clients of its own, as functions have. */
import type { Coordination } from '../../shared/coordination/coordination.ts';
import { gatedContracts, gatedTokens } from '../../shared/marketdata/gate/gated.ts';
import type { MarketDataProvider, Offer, Offering } from '../../shared/marketdata/provider.ts';
import type { ProviderClient } from '../../shared/marketdata/provider-client.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { createClient } from '../../shared/providers/client.ts';
import { coinpaprika } from '../../shared/providers/coinpaprika.ts';
import { defillama } from '../../shared/providers/defillama.ts';
import { exchanges as exchangesByName } from '../../shared/providers/sources.ts';
import type { CountingSources } from './counting-sources.ts';
import { ExchangeJobs } from './exchange-jobs.ts';
import type { OwnHistory } from './own-history.ts';
import type { PublishedSnapshots } from './published-snapshots.ts';
import { TokenJobs } from './token-jobs.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { rankOf } from './workload.ts';

const LARGE_BYTES = 32 * 1024 * 1024;
const ANSWER_MS = 15_000;

interface Options {
  readonly clock: VirtualClock;
  readonly environment: Environment;
  readonly coordinate: (environment: Environment, provider: MarketDataProvider) => Promise<Coordination>;
  readonly counting: CountingSources;
  /** Clients of CoinPaprika. */
  readonly clientFor: <O extends Offer>(
    purpose: 'scheduled' | 'backfill',
    provider: Offering<O>,
  ) => ProviderClient<O>;
  readonly own: OwnHistory;
  /** Coins that are still traded. */
  readonly active: number;
}

export interface Sources {
  readonly exchanges: ExchangeJobs;
  readonly tokens: TokenJobs;
  /** Whether one of them has the past of a coin. */
  isServed(id: string): boolean;
  start(snapshots: PublishedSnapshots, running: Parameters<ExchangeJobs['start']>[1]): void;
}

export function openSources(options: Options): Sources {
  const { clock, environment, coordinate, counting, clientFor, own, active } = options;
  const all = [...exchangesByName.values()];

  /** A function's own client: it keeps its pace beside those of the others. */
  function freeClient<O extends Offer>(provider: Offering<O>): ProviderClient<O> {
    return createClient(
      provider,
      { ...environment },
      {
        connect: counting.connect(provider.name),
        coordinate,
        maxBodyBytes: LARGE_BYTES,
        timeoutMs: ANSWER_MS,
        purpose: 'scheduled',
      },
    );
  }

  const exchanges = new ExchangeJobs({
    clock,
    clients: {
      markets: all.map((exchange) => freeClient<'markets' | 'quotes'>(exchange)),
      candles: all.map((exchange) => freeClient<'marketCandles'>(exchange)),
    },
    history: own.store,
    isActive: (id) => rankOf(id) < active,
  });
  const tokens = new TokenJobs({
    clock,
    source: freeClient(gatedTokens(defillama)),
    contracts: clientFor('scheduled', gatedContracts(coinpaprika)),
    provider: clientFor<'ticker'>('backfill', coinpaprika),
    history: own.store,
    active,
  });
  return {
    ...{ exchanges, tokens },
    isServed: (id) => exchanges.mapped.has(id) || tokens.priced.has(id),
    start(snapshots, running) {
      exchanges.start(snapshots, running);
      tokens.start(snapshots, running);
    },
  };
}
