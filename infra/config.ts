import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { routes } from '../functions/routes.ts';
import { VERSION_DAYS } from '../shared/marketdata/store/names.ts';
import { ConfigurationError, type EnvironmentName, type variables } from '../shared/platform/environment.ts';

type SecretName = {
  [Name in EnvironmentName]: (typeof variables)[Name] extends { readonly secret: true } ? Name : never;
}[EnvironmentName];

export interface FirewallConfig {
  /** Requests from one address to all routes and the page together, cached responses included. */
  readonly requestsPerFiveMinutes: number;
}

export interface EdgeConfig {
  /** Your own domains; the first one is the printed address. You create their DNS entries. */
  readonly domainNames: readonly string[];
  /** The domain names' certificate, in AWS Certificate Manager of us-east-1. */
  readonly certificateArn?: string;
  /** The Origin Shield region nearest to the API: CloudFront then fetches each response once, through it. */
  readonly originShieldRegion?: string;
  /** Keeps floods and known attacks away, with rules billed by the month; `false`: none. Only in us-east-1. */
  readonly firewall: FirewallConfig | false;
  /** Names of the secret that the distribution sends to the API and, while it is being changed, of the previous one (docs/operations.md). */
  readonly originSecrets: readonly [shown: string, accepted?: string];
}

/** A second place to which each history object is copied when it is written. */
export interface CopyConfig {
  /** An existing versioned bucket whose policy allows this stage's bucket to write (docs/operations.md). */
  readonly bucketName: string;
  /** The account of its owner, if different. */
  readonly account?: string;
  /** The bucket's region, if different. */
  readonly region?: string;
}

/** What differs between deployed stages. It contains names of secrets, never their values. */
export interface StageConfig {
  /** The target of a deployment; by default that of the CLI's credentials. */
  readonly account?: string;
  readonly region?: string;
  /** `development` opens the API to callers without a key; synth warns about it. */
  readonly nodeEnv: 'production' | 'development';
  /** Origins of web pages that may call the API from a browser; none: no CORS headers. */
  readonly corsOrigins: readonly string[];
  /** The limit for all callers together, before any function runs; at most the account's own (docs/operations.md). */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  readonly logRetention: RetentionDays;
  /** Mail addresses for urgent alarms (`page`); each has to confirm once. */
  readonly alarmEmails: readonly string[];
  /** Mail addresses for alarms that can wait until morning (`ticket`); by default the same. */
  readonly ticketEmails?: readonly string[];
  /** The address of your docs/oncall.md; alarms link to its entries. */
  readonly runbookUrl: string;
  /** AWS mails the ticket addresses when the account's monthly bill passes this, or is expected to. */
  readonly monthlyDollars: number;
  /**
   * AWS X-Ray traces of the functions, $5 a million. Lambda samples one request a second and 5 % of the rest: a year of one request
   * a second costs $158, ten million requests a day $1,060.
   */
  readonly tracing: boolean;
  /** Whether routes reserve their `maxConcurrency`; `requiredConcurrency` computes the account quota that this needs. */
  readonly reserveConcurrency: boolean;
  /**
   * Whether a new version first gets a tenth of the requests for five minutes and is rolled back for its own faults. Without it,
   * deployments take effect at once: for emergencies (docs/oncall.md).
   */
  readonly canary: boolean;
  /** What happens to logs, secrets, table and data when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
  /**
   * An existing data bucket that the stage takes over, such as one left by a deleted stack; by default the stack creates one.
   */
  readonly dataBucket?: string;
  /** A copy of the history in another region or account; by default only the bucket's versions exist. */
  readonly copyTo?: CopyConfig;
  /** `false`: no CloudFront; API Gateway serves the page too. Works in a new account at once. */
  readonly edge: EdgeConfig | false;
  /** All alarms, or the few on AWS's own metrics; each alarm is billed. */
  readonly alarms: 'all' | 'few';
  readonly dashboard: boolean;
  /** Days for which replaced versions of history objects are kept: how far back they can be restored. */
  readonly versionDays: number;
  /** Whether the history is written as Parquet files to `exports/` of the bucket once a month (docs/parquet.md). */
  readonly monthlyExport: boolean;
  /** Whether a job requests a price and candles at the page's address every five minutes, as a user does. */
  readonly probe: boolean;
  /** The name of the client key's secret: under another name, the next deployment creates another key (docs/operations.md). */
  readonly clientKey: string;
  /** Monthly requests of the provider's plan, for all stages that share its key or use none. */
  readonly planRequests: number;
  /** Plain settings for the functions whose route or job names them. */
  readonly environment: Readonly<Partial<Record<Exclude<EnvironmentName, SecretName | 'NODE_ENV'>, string>>>;
  /**
   * Variable → name of an existing Secrets Manager secret, for the functions that name the variable. Functions fetch the secrets that
   * their route declares; the others are resolved at deployment.
   */
  readonly secretNames: Readonly<Record<string, string>>;
}

/** The placeholder owner in `runbookUrl`. */
export const NOBODY = 'OWNER';

const production: StageConfig = {
  // CloudFront accepts a firewall only from this region.
  region: 'us-east-1',
  nodeEnv: 'production',
  // The origin of the client application. example.com has no owner, so this placeholder admits no page.
  corsOrigins: ['https://app.example.com'],
  // More than the routes' reserved containers can take, so that a flood of one route fills only that route.
  throttle: { requestsPerSecond: 5_000, burst: 5_000 },
  logRetention: RetentionDays.ONE_MONTH,
  alarmEmails: [],
  runbookUrl: `https://github.com/${NOBODY}/marketdata-api/blob/main/docs/oncall.md`,
  monthlyDollars: 150,
  tracing: true,
  reserveConcurrency: true,
  canary: true,
  // Kept, unless the deployment that created it fails: leftovers would block the next deployment.
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  edge: {
    domainNames: [],
    // Raise it for a back end that sends all of its users' requests from one address (docs/operations.md).
    firewall: { requestsPerFiveMinutes: 2_000 },
    originSecrets: ['blue'],
  },
  alarms: 'all',
  dashboard: true,
  versionDays: VERSION_DAYS,
  monthlyExport: false,
  probe: true,
  clientKey: 'ClientApiKey',
  planRequests: 20_000, // the free plan's
  // Stages with the same provider key, or without one, share a plan: synth warns when together they could exceed it. You agree to
  // the terms of the other sources (docs/api.md) unless you turn them off: { CANDLE_SOURCES: '', TOKEN_SOURCES: '', ID_SOURCES: '' }.
  // Their jobs are then deployed and do nothing. ID_SOURCES also applies to the registry's build, which reads it from the shell.
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
 * A stage for one person, in any account: about $2 a month without requests (docs/cost.md). It keeps its history as prod does, has
 * no metrics, canaries, firewall, CloudFront or dashboard, and fetches tokens and candles less often.
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
  versionDays: 7,
  environment: {
    ...dev.environment,
    METRICS: 'off',
    QUOTES_MINUTES: '5',
    TOKENS_MINUTES: '30',
    CANDLES_MINUTES: '30',
  },
};

export const stages: Readonly<Record<string, StageConfig>> = { hobby, dev, prod: production };

/**
 * The stage of local runs with a chain or with a route's secret: all routes, with secrets from the local environment. Its account does
 * not exist, so it cannot be deployed.
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
