import type { Job } from '../platform/job.ts';
import type { Route } from './route.ts';
import type { StandIn } from './stand-in.ts';

/** A domain as data, for the build, the infrastructure, local runs and documents. */
export interface Domain {
  /** Its folder below `functions/`, and the first part of its routes' and jobs' names. */
  readonly name: string;
  readonly routes: readonly Route[];
  readonly jobs?: readonly Job[];
  /** Names of the CloudWatch counts that only this domain increments. */
  readonly counts?: readonly string[];
  /** Alarms that exist only in stages that have one of the domain's routes. */
  readonly alarms?: readonly AlarmRule[];
  /** Graphs on the dashboard, in stages that have one of its routes. */
  readonly graphs?: readonly Graph[];
  /** Accounts that a local chain funds for it; each run generates new private keys. */
  readonly localAccounts?: readonly {
    /** The variable that gets the private key. */
    readonly keyVariable: string;
    /** Its balance at the start. */
    readonly wei: bigint;
  }[];
  /** Starts a server that replaces the API that its routes call, for local runs with a chain and without its secrets. */
  readonly standIn?: () => Promise<StandIn>;
}

/** A `page` alerts the person on call at once; a `ticket` waits until morning. */
export type Severity = 'page' | 'ticket';

export type AlarmRule = AlarmCondition & {
  readonly name: string;
  /**
   * The title of its entry in docs/oncall.md, with spaces, as `QuotaForecast` is of "Quota forecast"; by default its own name.
   */
  readonly entry?: string;
  readonly metric: AlarmMetric;
  /** The minutes of a period, or the setting that holds them; by default those of the metric itself. */
  readonly periodMinutes?: Job['everyMinutes'];
  /** The setting of a job that has to be turned on for the alarm to exist. */
  readonly onlyWith?: Job['onlyWith'];
};

export type AlarmCondition = AlarmText &
  ({ readonly above: number; readonly below?: never } | { readonly below: number; readonly above?: never });

interface AlarmText {
  readonly severity: Severity;
  /** The problem in one sentence, for the person on call. */
  readonly says: string;
  /** The number of bad periods, and the number of periods. */
  readonly periods: readonly [bad: number, of: number];
  /** Whether missing data counts as bad, for counts by the clock instead of by request. */
  readonly ringsInSilence?: true;
}

/** A count's sum, or an expression of infra/constructs/metrics.ts. */
export type AlarmMetric =
  | { readonly sumOf: string }
  | { readonly expression: 'upstreamFailurePercent' | 'quotaForecastPercent' };

export type Graph = { readonly title: string; readonly sumsOf: readonly string[] };
