import type { HistoryConfig } from '../../infra/config.ts';
import { DAYS_OF_A_MONTH } from '../../infra/constructs/data-bucket.ts';
import { VERSION_DAYS } from '../../shared/marketdata/store/names.ts';
import { assumptions } from './assumptions.ts';
import type { Part } from './estimate.ts';
import { type ObjectBytes, objectBytes } from './history-objects.ts';
import { prices } from './prices.ts';

/** What our own history of so many coins takes. */
export interface HistoryCost {
  readonly bytes: ObjectBytes;
  readonly stored: {
    readonly afterMonth: number;
    readonly afterTwoYears: number;
    /** What was overwritten or has expired, as a part of the latter. */
    readonly versions: number;
  };
  /** Puts and lists, which cost the same, in a month. */
  readonly writes: number;
  readonly reads: number;
  readonly gbSeconds: number;
  readonly tableReads: number;
  readonly tableWrites: number;
  /** USD a month, two years after the beginning. */
  readonly parts: readonly Part[];
}

const GB = 1e9;
const MILLION = 1e6;
const DAYS = 30;
const { history } = assumptions;

/** The history of so many coins in the snapshot, kept as long as a stage says. */
export function historyCost(coins: number, retention: HistoryConfig): HistoryCost {
  const bytes = objectBytes(coins);
  const runs = history.runsADay * DAYS;
  const traffic = trafficOf(coins);
  const stored = storedOf(coins, bytes, retention);
  const rollUpSeconds =
    runs * history.idleSeconds +
    DAYS * (coins / 1000) * (24 * history.hourSecondsPerThousand + history.daySecondsPerThousand);
  const backfillSeconds = runs * history.idleSeconds + DAYS * history.backfillADay * history.backfillSeconds;
  const { memoryMb } = history;
  const gbSeconds = (rollUpSeconds * memoryMb.rollUp + backfillSeconds * memoryMb.backfill) / 1024;
  const tableReads = runs * history.wishRows;
  const tableWrites = DAYS * history.backfillADay * history.tableWritesPerRequest;
  return {
    bytes,
    stored,
    ...traffic,
    gbSeconds,
    tableReads,
    tableWrites,
    parts: [
      { name: 'S3, storage', month: (stored.afterTwoYears / GB) * prices.s3PerGbMonth },
      {
        name: 'S3, requests',
        month:
          (traffic.writes * prices.s3PerThousandWrites + traffic.reads * prices.s3PerThousandReads) / 1000,
      },
      {
        name: 'Lambda',
        month: gbSeconds * prices.lambdaPerGbSecond + ((2 * runs) / MILLION) * prices.lambdaPerMillion,
      },
      {
        name: 'DynamoDB',
        month:
          (tableReads * prices.dynamoDbPerMillionReads + tableWrites * prices.dynamoDbPerMillionWrites) /
          MILLION,
      },
    ],
  };
}

/** In a month. */
function trafficOf(coins: number): Pick<HistoryCost, 'writes' | 'reads'> {
  const { samplesADay, runsADay, backfillADay, writesOfRuns, readsOfRuns } = history;
  const [hoursADay, seriesOfCoin] = [24, 2];
  const every = hoursADay + seriesOfCoin * coins + backfillADay;
  const writes = samplesADay + every + writesOfRuns * runsADay;
  const reads = samplesADay + every + readsOfRuns * runsADay; // each sample for its hour
  return { writes: DAYS * writes, reads: DAYS * reads };
}

/** The past comes first: after a month every coin that is asked about has the year that one request brings. */
function storedOf(coins: number, bytes: ObjectBytes, { sampleDays, hourlyDays }: HistoryConfig) {
  const recent = (days: number) =>
    Math.min(days, sampleDays) * (history.samplesADay * bytes.samples + bytes.hoursOfDay);
  const pastCoins = Math.max(coins, history.backfilledCoins);
  const months = Math.min(24, Math.ceil((hourlyDays + DAYS_OF_A_MONTH) / DAYS_OF_A_MONTH)) + 1; // the running one
  const objects = coins * bytes.hoursOfMonth * months + pastCoins * bytes.daysOfFiveYears;
  const versions = VERSION_DAYS * versionsOfDay(coins, bytes, bytes.daysOfFiveYears);
  return {
    afterMonth:
      recent(DAYS) +
      pastCoins * bytes.daysOfYear +
      coins * bytes.hoursOfMonth +
      VERSION_DAYS * versionsOfDay(coins, bytes, bytes.daysOfYear),
    afterTwoYears: recent(2 * 365) + objects + versions,
    versions,
  };
}

/** What a day leaves: samples that expire, the hours of a day as they grew to 24, and each coin's days and hours. */
function versionsOfDay(coins: number, bytes: ObjectBytes, days: number): number {
  const [grownHours, halfMonth] = [(24 + 1) / 2, bytes.hoursOfMonth / 2];
  return history.samplesADay * bytes.samples + grownHours * bytes.hoursOfDay + coins * (days + halfMonth);
}
