import type { Domain } from '../../shared/http/domain.ts';
import { route as coin } from './coin/route.ts';
import { route as coins } from './coins/route.ts';
import { route as convert } from './convert/route.ts';
import { job as candles } from './jobs/candles/job.ts';
import { job as contracts } from './jobs/contracts/job.ts';
import { job as dailyRates } from './jobs/daily-rates/job.ts';
import { job as exportJob } from './jobs/export/job.ts';
import { job as markets } from './jobs/markets/job.ts';
import { job as past } from './jobs/past/job.ts';
import { job as probe } from './jobs/probe/job.ts';
import { job as registryRefresh } from './jobs/registry/job.ts';
import { job as rollUp } from './jobs/roll-up/job.ts';
import { job as tickerSnapshot } from './jobs/snapshot/job.ts';
import { job as tokens } from './jobs/tokens/job.ts';
import { route as ohlcv } from './ohlcv/route.ts';
import { route as overview } from './overview/route.ts';
import { route as price } from './price/route.ts';
import { route as rates } from './rates/route.ts';
import { route as resolve } from './resolve/route.ts';
import { route as search } from './search/route.ts';
import { route as sparklines } from './sparklines/route.ts';
import { route as ticker } from './ticker/route.ts';
import { route as tickers } from './tickers/route.ts';
import { route as valuation } from './valuation/route.ts';

const HOUR_SECONDS = 3600;

export const domain: Domain = {
  name: 'marketdata',
  routes: [
    ticker,
    tickers,
    overview,
    sparklines,
    ohlcv,
    price,
    search,
    resolve,
    coin,
    coins,
    convert,
    valuation,
    rates,
  ],
  jobs: [
    registryRefresh,
    tickerSnapshot,
    markets,
    contracts,
    tokens,
    candles,
    past,
    rollUp,
    dailyRates,
    probe,
    exportJob,
  ],
  alarms: [
    {
      name: 'ProbeFailed',
      severity: 'page',
      says: 'A price or candles could not be had at the address of the page, or nobody asked for them',
      runbookEntry: 'Probe failed',
      metric: { sumOf: 'ProbeFailed' },
      above: 0,
      periods: [2, 3],
      ringsInSilence: true,
    },
    {
      name: 'UpstreamFailures',
      severity: 'ticket',
      says: 'More than 20 % of the requests to the provider fail',
      runbookEntry: 'Upstream failures',
      metric: { expression: 'upstreamFailurePercent' },
      above: 20,
      periods: [3, 4],
    },
    {
      name: 'QuotaForecast',
      severity: 'ticket',
      says: 'At this rate the provider’s monthly quota does not last the month',
      runbookEntry: 'Quota forecast',
      metric: { expression: 'quotaForecastPercent' },
      above: 100,
      periods: [3, 3],
    },
    {
      name: 'SnapshotTooOld',
      severity: 'ticket',
      says: 'The ticker snapshot is older than 30 minutes, three of its intervals',
      runbookEntry: 'Snapshot too old',
      metric: { maximumOf: 'SnapshotAge' },
      above: HOUR_SECONDS / 2,
      periods: [3, 3],
    },
    {
      name: 'SnapshotMissing',
      severity: 'ticket',
      says: 'No ticker snapshot has been published for three of its intervals',
      runbookEntry: 'Snapshot missing',
      metric: { sumOf: 'SnapshotPublished' },
      periodMinutes: 'SNAPSHOT_MINUTES',
      below: 1,
      periods: [3, 3],
      ringsInSilence: true,
    },
    {
      name: 'SnapshotFailover',
      severity: 'ticket',
      says: 'For six intervals prices have come from exchanges, because the provider has had no list of tickers',
      runbookEntry: 'Snapshot failover',
      metric: { sumOf: 'SnapshotFailover' },
      periodMinutes: 'SNAPSHOT_MINUTES',
      above: 0,
      periods: [5, 6],
    },
    {
      name: 'HistoryTooOld',
      severity: 'ticket',
      says: 'The newest hour of our own history ended more than three hours ago, or no run says when',
      runbookEntry: 'History too old',
      metric: { maximumOf: 'HistoryAge' },
      periodMinutes: 30,
      above: 3 * HOUR_SECONDS,
      periods: [3, 3],
      ringsInSilence: true,
    },
    {
      name: 'ObjectsSetAside',
      severity: 'ticket',
      says: 'A stored object could not be opened, and lies beside a new one',
      runbookEntry: 'Objects set aside',
      metric: { sumOf: 'ObjectsSetAside' },
      above: 0,
      periods: [1, 1],
    },
    {
      name: 'RegistryTooOld',
      severity: 'ticket',
      says: 'The coin registry is older than 49 hours: two daily refreshes are missing',
      runbookEntry: 'Registry too old',
      metric: { maximumOf: 'RegistryAge' },
      above: 49 * HOUR_SECONDS,
      periods: [3, 3],
    },
  ],
};
