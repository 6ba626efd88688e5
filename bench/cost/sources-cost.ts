import { jobs } from '../../functions/jobs.ts';
import type { HistoryConfig } from '../../infra/config.ts';
import { VERSION_DAYS } from '../../shared/marketdata/store/names.ts';
import { variables } from '../../shared/platform/environment.ts';
import { assumptions } from './assumptions.ts';
import type { Part } from './estimate.ts';
import { historyCost } from './history-cost.ts';
import { prices } from './prices.ts';
import { sourcesBytes } from './sources-objects.ts';

/** What other sources take in a month. */
export interface SourceCost {
  readonly name: string;
  readonly coins: number;
  readonly writes: number;
  readonly reads: number;
  readonly gbSeconds: number;
  /** Bytes, two years after the beginning. */
  readonly stored: number;
  /** USD. */
  readonly parts: readonly Part[];
}

interface Amounts extends Pick<SourceCost, 'writes' | 'reads' | 'gbSeconds' | 'stored'> {
  readonly runs: number;
}

const GB = 1e9;
const MILLION = 1e6;
const DAYS = 30;
const { sources, history } = assumptions;
type SourceJob = keyof typeof sources.seconds;

/** Of the coins that exchanges trade, and of those that are priced by their contracts. */
export function sourceCosts(retention: HistoryConfig): SourceCost[] {
  return [
    costOf('exchanges', sources.traded, exchangesTake(retention)),
    costOf('tokens', sources.priced, tokensTake(retention, runsOf('tokens'))),
  ];
}

/** What a month would cost less if something were different. */
export function cheaper(retention: HistoryConfig): Part[] {
  const today = sumOfParts(costOf('', 0, tokensTake(retention, runsOf('tokens'))));
  const hourly = tokensTake(retention, DAYS * 24);
  const all = tokensTake(retention, runsOf('tokens'));
  // Of a coin's two objects, its hours: those of a day stay, in one object of all coins.
  const { bytes } = historyCost(sources.priced, retention);
  const months = Math.min(24, Math.ceil(retention.hourlyDays / DAYS)) + 1;
  const withoutHours: Amounts = {
    ...all,
    writes: all.writes - DAYS * sources.priced,
    reads: all.reads - DAYS * sources.priced,
    stored: all.stored - months * sources.priced * bytes.hoursOfMonth,
  };
  const less = (name: string, amounts: Amounts) => ({
    name,
    month: today - sumOfParts(costOf('', 0, amounts)),
  });
  const halfHours = gbSecondsOf('candles') - gbSecondsOf('candles', DAYS * 48);
  return [
    { name: 'asking exchanges for candles every half hour', month: halfHours * prices.lambdaPerGbSecond },
    less('asking for the tail once an hour instead of every ten minutes', hourly),
    less(
      'no months of hours of a coin of the tail, whose last 35 days are in the hours of all coins',
      withoutHours,
    ),
  ];
}

/** In a month, by the job's own interval. */
export function runsOf(name: SourceJob): number {
  const { everyMinutes } = jobOf(name);
  const minutes =
    everyMinutes === 'SNAPSHOT_MINUTES' ? Number(variables.SNAPSHOT_MINUTES.default) : everyMinutes;
  return (DAYS * 24 * 60) / minutes;
}

function jobOf(name: SourceJob) {
  const job = jobs.find((one) => one.name === `marketdata/${name}`);
  if (!job) throw new Error(`No job ${name}`);
  return job;
}

function gbSecondsOf(name: SourceJob, runs = runsOf(name)): number {
  return runs * sources.seconds[name] * (jobOf(name).memoryMb / 1024);
}

function exchangesTake({ sampleDays }: HistoryConfig): Amounts {
  const { exact, map } = sourcesBytes(sources.traded, sources.markets, sources.priced);
  const { markets, candles, ofDay } = sources.objects;
  const [ofMarkets, ofCandles] = [runsOf('markets'), runsOf('candles')];
  return {
    runs: ofMarkets + ofCandles,
    writes: ofMarkets * markets.puts + ofCandles * candles.puts + DAYS * sources.traded * ofDay.puts,
    reads: ofMarkets * markets.gets + ofCandles * candles.gets + DAYS * sources.traded * ofDay.gets,
    gbSeconds: gbSecondsOf('markets') + gbSecondsOf('candles'),
    // The hours of a day are put anew by each run, and grow; a map that was replaced is a version for a day.
    stored: (sampleDays + VERSION_DAYS * (ofCandles / DAYS / 2)) * exact + (1 + ofMarkets / DAYS) * map,
  };
}

/** With what the roll-up takes for more coins. */
function tokensTake(retention: HistoryConfig, runs: number): Amounts {
  const listed = history.plans[0]?.coins ?? 0;
  const [few, all] = [historyCost(listed, retention), historyCost(listed + sources.priced, retention)];
  const { tokens, contracts } = sources.objects;
  const weekly = runsOf('contracts');
  return {
    runs: runs + weekly,
    writes: all.writes - few.writes + runs * tokens.puts + weekly * contracts.puts,
    reads: all.reads - few.reads + runs * tokens.gets + weekly * contracts.gets,
    gbSeconds: all.gbSeconds - few.gbSeconds + gbSecondsOf('tokens', runs) + gbSecondsOf('contracts'),
    stored: all.stored.afterTwoYears - few.stored.afterTwoYears,
  };
}

function costOf(name: string, coins: number, amounts: Amounts): SourceCost {
  const { writes, reads, gbSeconds, stored, runs } = amounts;
  const requests = writes * prices.s3PerThousandWrites + reads * prices.s3PerThousandReads;
  return {
    name,
    coins,
    ...amounts,
    parts: [
      { name: 'S3, storage', month: (stored / GB) * prices.s3PerGbMonth },
      { name: 'S3, requests', month: requests / 1000 },
      {
        name: 'Lambda',
        month: gbSeconds * prices.lambdaPerGbSecond + (runs / MILLION) * prices.lambdaPerMillion,
      },
    ],
  };
}

function sumOfParts({ parts }: SourceCost): number {
  return parts.reduce((sum, { month }) => sum + month, 0);
}
