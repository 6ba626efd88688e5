import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { routes } from '../functions/routes.ts';
import { VERSION_DAYS } from '../shared/marketdata/store/names.ts';
import { ConfigurationError } from '../shared/platform/configuration-error.ts';
import type { EnvironmentName, variables } from '../shared/platform/environment.ts';

type SecretName = {
  [Name in EnvironmentName]: (typeof variables)[Name] extends { readonly secret: true } ? Name : never;
}[EnvironmentName];

export interface FirewallConfig {
  /** Of one address, to all routes and the page together, answers from the edge's caches included. */
  readonly requestsPerFiveMinutes: number;
}

export interface EdgeConfig {
  /** Domains of one's own; the first one is the address that is printed. Their DNS entries are yours to make. */
  readonly domainNames: readonly string[];
  /** The certificate for them, in AWS Certificate Manager of us-east-1. */
  readonly certificateArn?: string;
  /** The region nearest to the API's: all of CloudFront then asks through it, once for each answer. */
  readonly originShieldRegion?: string;
  /** Keeps floods and known attacks away, by rules paid for by the month; `false`: none. Only in us-east-1. */
  readonly firewall: FirewallConfig | false;
  /** Names of the secret that the distribution shows the API, and while it is changed of the one before it (docs/operations.md). */
  readonly originSecrets: readonly [shown: string, accepted?: string];
}

/** Where every object of our own history is copied as it is written. */
export interface CopyConfig {
  /** Of an existing bucket with versions, whose policy lets this stage's bucket in (docs/operations.md). */
  readonly bucketName: string;
  /** Of its owner, if that is another one. */
  readonly account?: string;
  /** If it is another one. */
  readonly region?: string;
}

/** How long our own history is kept; candles of days stay for ever. In whole days. */
export interface HistoryConfig {
  /** Versions of its objects that were replaced: so far back it can be restored. */
  readonly versionDays: number;
  /** Samples, and the hours of a day, which are made anew of them; at least 2: a day is rolled up when it is over. */
  readonly sampleDays: number;
  /** Candles of hours. */
  readonly hourlyDays: number;
}

/** The differences between deployed stages. Nothing here is a secret: secrets are named, never written. */
export interface StageConfig {
  /** The target of a deployment; without them, whatever the CLI's credentials point to. */
  readonly account?: string;
  readonly region?: string;
  /** `development` opens the API to callers without a key: a stage configured so warns at synth. */
  readonly nodeEnv: 'production' | 'development';
  /** Origins of web pages that may call the API from a browser; none: no CORS headers at all. */
  readonly corsOrigins: readonly string[];
  /** Requests of all callers together, before any function runs. At most what the account has (docs/growth.md). */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  readonly logRetention: RetentionDays;
  /** Addresses that get a mail when an alarm goes off that cannot wait (`page`); each has to confirm once. */
  readonly alarmEmails: readonly string[];
  /** Addresses for the alarms that wait until morning (`ticket`); the same ones unless told. */
  readonly ticketEmails?: readonly string[];
  /** Address of docs/oncall.md for those who get the mails; alarms link to its entries. */
  readonly runbookUrl: string;
  /** AWS tells the addresses of tickets when the account's bill of a month passes this, or is expected to. */
  readonly monthlyDollars: number;
  /**
   * AWS X-Ray traces of the functions, $5 a million. Lambda samples them itself, one a second and 5 % of the rest: a year of
   * one request a second costs $158, ten million requests a day $1,060.
   */
  readonly tracing: boolean;
  /** Whether routes keep to their `maxConcurrency`; `requiredConcurrency` says what quota that takes. */
  readonly reserveConcurrency: boolean;
  /**
   * Whether a new version gets a tenth of the requests for five minutes first, and is taken back for faults of its own.
   * Turned off, every deployment is done at once: for emergencies (docs/oncall.md).
   */
  readonly canary: boolean;
  /** The fate of logs, secrets, table and published data when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
  /**
   * The name of an existing bucket of published data that the stage takes over, such as the one that a deleted stack
   * left; none: the stack makes one.
   */
  readonly dataBucket?: string;
  /** A second place for our own history, in another region or account; none: versions in its bucket are all there is. */
  readonly copyTo?: CopyConfig;
  /** `false`: no CloudFront. The API serves the page itself, which a new account can deploy at once. */
  readonly edge: EdgeConfig | false;
  /** All alarms, or the few that look at AWS's own metrics only: every metric that one looks at is paid for. */
  readonly alarms: 'all' | 'few';
  readonly dashboard: boolean;
  readonly history: HistoryConfig;
  /** Whether our own history is written as Parquet files below `exports/` of the bucket once a month (docs/parquet.md). */
  readonly monthlyExport: boolean;
  /** Whether a job asks for a price and candles at the address of the page every five minutes, as a user does. */
  readonly probe: boolean;
  /** Names the secret of the client's key: under another name, the next deployment makes another key (docs/operations.md). */
  readonly clientKey: string;
  /** Requests a month that the provider's plan has for its key, or for everybody without one: for all stages together. */
  readonly planRequests: number;
  /** Plain settings, given to the functions whose route names them. */
  readonly environment: Readonly<Partial<Record<Exclude<EnvironmentName, SecretName | 'NODE_ENV'>, string>>>;
  /**
   * Variable → name of an existing Secrets Manager secret, for the functions whose route names the variable. Those that
   * a route declares are fetched by the function, others are resolved when it is deployed.
   */
  readonly secretNames: Readonly<Record<string, string>>;
}

/** The owner in `runbookUrl` until somebody writes their own. */
export const NOBODY = 'OWNER';

const production: StageConfig = {
  // CloudFront takes its firewall from this region alone.
  region: 'us-east-1',
  nodeEnv: 'production',
  // The address of the client application. example.com belongs to nobody, so nobody is let in by mistake.
  corsOrigins: ['https://app.example.com'],
  // More than the routes' reserved containers take, so that a flood of one route fills that route alone.
  throttle: { requestsPerSecond: 4_000, burst: 4_000 },
  logRetention: RetentionDays.ONE_MONTH,
  alarmEmails: [],
  runbookUrl: `https://github.com/${NOBODY}/marketdata-api/blob/main/docs/oncall.md`,
  monthlyDollars: 150,
  tracing: true,
  reserveConcurrency: true,
  canary: true,
  // Kept, unless the deployment that made it fails: what such a one left behind would be in the way of the next.
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  edge: {
    domainNames: [],
    // A back end asks for all of its users from one address: raise it for such a one (docs/growth.md).
    firewall: { requestsPerFiveMinutes: 2_000 },
    originSecrets: ['blue'],
  },
  alarms: 'all',
  dashboard: true,
  history: { sampleDays: 35, hourlyDays: 730, versionDays: VERSION_DAYS },
  monthlyExport: false,
  probe: true,
  clientKey: 'ClientApiKey',
  planRequests: 20_000, // the free plan's
  // Stages that ask with the same key, or without one, each get a part of its plan: a stage that could spend more than is
  // left by the others warns at synth. Other sources have terms of their own (docs/api.md), to which you agree unless you leave them out: CANDLE_SOURCES
  // names the exchanges that are asked, the preferred one first, and TOKEN_SOURCES who prices tokens. An empty text turns
  // them off, { CANDLE_SOURCES: '', TOKEN_SOURCES: '' }: the jobs are deployed and do nothing. ID_SOURCES names whose ids
  // are matched with ours: while it is CoinGecko, show "Data provided by CoinGecko" with a link to www.coingecko.com where
  // its ids are used (brand.coingecko.com/resources/attribution-guide). The registry's build reads it from the shell.
  environment: { UPSTREAM_MONTHLY_BUDGET: '20000' },
  // With a paid plan, the provider's key: { <PROVIDER>_API_KEY: 'marketdata/provider-key' }
  // With the protocol routes, their secrets (docs/protocols.md): { MAINNET_RPC_URL: 'marketdata/mainnet-rpc-url' }
  secretNames: {},
};

const dev: StageConfig = {
  ...production,
  corsOrigins: ['http://localhost:3000'],
  throttle: { requestsPerSecond: 20, burst: 40 },
  logRetention: RetentionDays.ONE_WEEK,
  region: undefined,
  reserveConcurrency: false,
  canary: false,
  edge: { domainNames: [], firewall: false, originSecrets: ['blue'] },
  monthlyDollars: 75,
  tracing: false,
  removalPolicy: RemovalPolicy.DESTROY,
};

/**
 * A stage for one person, in any account: some $2 a month without requests (docs/cost.md). Its history lasts, as in prod;
 * metrics, canaries, firewall, CloudFront and dashboard are left out, and tokens and candles are fetched more seldom.
 */
const hobby: StageConfig = {
  ...dev,
  corsOrigins: [],
  edge: false,
  alarms: 'few',
  dashboard: false,
  monthlyDollars: 10,
  probe: false,
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  history: { ...production.history, versionDays: 7 },
  environment: {
    ...dev.environment,
    METRICS: 'off',
    TOKENS_MINUTES: '30',
    CANDLES_MINUTES: '30',
  },
};

export const stages: Readonly<Record<string, StageConfig>> = { hobby, dev, prod: production };

/**
 * The stage that local runs with a chain, or with a secret of a route, synthesize: every route, with secrets that only
 * the local environment holds. The account is nobody's, so that it cannot be deployed.
 */
const local: StageConfig = {
  ...dev,
  account: '000000000000',
  secretNames: Object.fromEntries(
    routes.flatMap(({ allSecrets }) => allSecrets).map((name) => [name, `marketdata/local/${name}`]),
  ),
};

export const stageNames: readonly string[] = Object.keys(stages);

/** The configuration of a stage, or of `local`. Throws a ConfigurationError with the known names if there is no such stage. */
export function stageConfig(stage: string): StageConfig {
  if (stage === 'local') return local;
  const config = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
  if (config) return config;
  const known = stageNames.join(', ');
  throw new ConfigurationError(`Unknown stage "${stage}": use -c stage=<name> with one of ${known}`);
}
