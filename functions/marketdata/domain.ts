import type { AlarmRule, Domain } from '../../shared/http/domain.ts';
import type { Job } from '../../shared/platform/job.ts';
import type { PublishedCount } from '../../shared/platform/metrics.ts';
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
import { job as quotes } from './jobs/quotes/job.ts';
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
    quotes,
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
      says: 'The probe did not get correct prices or candles at the address of the page, or did not run',
      metric: { sumOf: 'ProbeFailed' },
      onlyWith: 'probe',
      above: 0,
      periods: [2, 3],
      ringsInSilence: true,
    },
    missing('SnapshotPublished', tickerSnapshot, 3),
    missing('TailPublished', tokens, 6),
    missing('CandlesPublished', candles, 6),
    missing('QuotesPublished', quotes, 10),
    missing('MapPublished', markets, 3),
    missing('HoursPublished', rollUp, 4),
    missing('RatesPublished', dailyRates, 4),
    missing('RegistryPublished', registryRefresh, 2),
    {
      name: 'SnapshotFailover',
      severity: 'ticket',
      says: 'Prices have come from exchanges for an hour, because the provider has had no usable list',
      metric: { sumOf: 'SnapshotFailover' },
      periodMinutes: 'SNAPSHOT_MINUTES',
      above: 0,
      periods: [5, 6],
    },
    {
      name: 'UpstreamFailures',
      severity: 'ticket',
      says: 'More than 20 % of the requests to the provider fail',
      metric: { expression: 'upstreamFailurePercent' },
      above: 20,
      periods: [3, 4],
    },
    {
      name: 'QuotaForecast',
      severity: 'ticket',
      says: 'At this rate the provider’s monthly quota does not last the month',
      metric: { expression: 'quotaForecastPercent' },
      above: 100,
      periods: [3, 3],
    },
    {
      name: 'ObjectsSetAside',
      severity: 'ticket',
      says: 'A job could not open a stored object, set it aside and started a new one',
      metric: { sumOf: 'ObjectsSetAside' },
      above: 0,
      periods: [1, 1],
    },
  ],
};

/** Alarms after this many missing publications in a row, because the job fails, publishes nothing or does not run. */
function missing(count: PublishedCount, { everyMinutes }: Job, times: number): AlarmRule {
  const object = count.replace(/Published$/, '');
  return {
    name: `${object}Missing`,
    entry: 'MissingPublication',
    severity: 'ticket',
    says: `The job has not published the ${object.toLowerCase()} for ${times} runs in a row`,
    metric: { sumOf: count },
    periodMinutes: everyMinutes,
    below: 1,
    periods: [times, times],
    ringsInSilence: true,
  };
}
