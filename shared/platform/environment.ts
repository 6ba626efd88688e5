/** The environment of every function: one schema that the infrastructure, the handlers and the tests share. */
import { integerBetween, namesOf, notHttpUrl, notNamespace, oneOf, partOfHour } from './setting-problems.ts';

/** The service is not configured as it must be; the message is for the development log, never for the caller. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export interface Variable {
  readonly description: string;
  readonly default?: string;
  /** Its value never leaves the process: cut from every error text and log line. */
  readonly secret?: true;
  /** Describes the allowed values if the text is not usable. */
  readonly problem?: (text: string) => string | undefined;
  /** Whether an empty text means nothing instead of the default. */
  readonly mayBeEmpty?: true;
}

export const variables = {
  NODE_ENV: {
    description:
      '`production` requires a key. Any other value opens the API; one that is neither `development` nor `test` prints a warning',
    default: 'development',
  },
  CLIENT_API_KEY: {
    description: 'Key that callers send in production, as `x-api-key`',
    secret: true,
  },
  ORIGIN_SECRET: {
    description:
      'Secret that the distribution sends as `x-origin-secret`; if set, requests without it are refused',
    secret: true,
  },
  ORIGIN_SECRET_ALTERNATE: {
    description: 'Previous origin secret, still accepted while the secret is being changed',
    secret: true,
  },
  COINPAPRIKA_BASE_URL: {
    description:
      'CoinPaprika’s API; by default the host of the free plan, or of the paid plans if there is a key',
    problem: notHttpUrl,
  },
  COINPAPRIKA_API_KEY: {
    description: 'Key of a paid CoinPaprika plan; without it, the free plan',
    secret: true,
  },
  COINPAPRIKA_PLAN: {
    description:
      'CoinPaprika plan of the key, which decides what may be requested; by default `free` without a key, everything with one',
    problem: oneOf('free', 'starter', 'pro', 'business', 'ultimate'),
  },
  COINBASE_BASE_URL: { description: 'Coinbase Exchange’s API', problem: notHttpUrl },
  KRAKEN_BASE_URL: { description: 'Kraken’s API', problem: notHttpUrl },
  BINANCE_BASE_URL: { description: 'Binance’s market-data API', problem: notHttpUrl },
  DEFILLAMA_BASE_URL: { description: 'DefiLlama’s API of token prices', problem: notHttpUrl },
  ECB_BASE_URL: {
    description: 'The European Central Bank’s reference rates',
    problem: notHttpUrl,
  },
  FRANKFURTER_BASE_URL: {
    description: 'Frankfurter’s API of exchange rates; an instance of one’s own serves as well',
    problem: notHttpUrl,
  },
  COINGECKO_BASE_URL: {
    description: 'CoinGecko’s API, for its list of coins',
    problem: notHttpUrl,
  },
  ZEROX_BASE_URL: {
    description: '0x’s API, the source of aggregator quotes',
    default: 'https://api.0x.org',
    problem: notHttpUrl,
  },
  CANDLE_SOURCES: {
    description:
      'Exchanges that jobs fetch candles and comparison prices from, the preferred one first; empty turns them off',
    default: 'coinbase,kraken,binance',
    problem: namesOf('coinbase', 'kraken', 'binance'),
    mayBeEmpty: true,
  },
  TOKEN_SOURCES: {
    description: 'Source of token prices by contract; empty turns it off',
    default: 'defillama',
    problem: namesOf('defillama'),
    mayBeEmpty: true,
  },
  ID_SOURCES: {
    description:
      'Lists whose ids are matched with ours once a day; empty turns them off. CoinGecko requires “Data provided by CoinGecko” with a link (brand.coingecko.com/resources/attribution-guide)',
    default: 'coingecko',
    problem: namesOf('coingecko'),
    mayBeEmpty: true,
  },
  UPSTREAM_TIMEOUT_MS: {
    description: 'Time limit of one upstream request with its retry, in milliseconds',
    default: '8000',
    problem: integerBetween(100, 14_000),
  },
  TICKER_FRESH_SECONDS: {
    description: 'Seconds that a fetched ticker stays fresh; the free plan updates every 600 s',
    default: '60',
    problem: integerBetween(1, 3600),
  },
  REGISTRY_PATH: { description: 'Folder of the coin registry', default: '/opt/registry' },
  REGISTRY_BUCKET: {
    description: 'S3 bucket of the daily coin registry; without it, the function’s own layer is used',
  },
  SNAPSHOT_BUCKET: {
    description: 'S3 bucket of the ticker snapshot; without it, each ticker is fetched by itself',
  },
  HISTORY_BUCKET: {
    description:
      'S3 bucket of the stored history; without it, each chart is fetched by itself and nothing is kept',
  },
  SOURCES_BUCKET: {
    description: 'S3 bucket that maps markets and contracts to coins; without it, only the provider is used',
  },
  EXPORTS_BUCKET: {
    description: 'S3 bucket for Parquet exports of the history',
  },
  SNAPSHOT_MINUTES: {
    description: 'Minutes between two ticker snapshots, one upstream request each; must divide an hour',
    default: '10',
    problem: partOfHour(1),
  },
  QUOTES_MINUTES: {
    description:
      'Minutes between two runs that publish the prices of exchanges’ markets; must divide an hour',
    default: '1',
    problem: partOfHour(1),
  },
  TOKENS_MINUTES: {
    description: 'Minutes between two runs that price tokens by contract; must divide an hour',
    default: '10',
    problem: partOfHour(10),
  },
  CANDLES_MINUTES: {
    description: 'Minutes between two runs that fetch running candles from exchanges; must divide an hour',
    default: '10',
    problem: partOfHour(10),
  },
  STALE_WAIT_MS: {
    description: 'Milliseconds that a request waits for a refresh before it gets the stale entry',
    default: '300',
    problem: integerBetween(0, 10_000),
  },
  SHARED_TABLE: {
    description: 'DynamoDB table that coordinates all instances; without it, each instance counts for itself',
  },
  KEYS_TABLE: {
    description:
      'The same DynamoDB table, for functions that read the keys of named clients; without it, there are none',
  },
  PAGE_URL: {
    description: 'Address of the web page and API that the probe requests',
    problem: notHttpUrl,
  },
  UPSTREAM_MONTHLY_BUDGET: {
    description: 'Requests to the provider in a month (UTC), all instances together',
    default: '20000',
    problem: integerBetween(1, 999_999_999),
  },
  UPSTREAM_SCHEDULED_DAILY: {
    description: 'Requests a day that are reserved for scheduled jobs',
    default: '0',
    problem: integerBetween(0, 999_999_999),
  },
  UPSTREAM_CLIENT_PERCENT: {
    description:
      'Percent of a day’s unreserved provider requests that one client (key or address) may cause in an hour; at least 10 requests',
    default: '10',
    problem: integerBetween(1, 100),
  },
  METRICS: {
    description: 'When each request prints its metrics: in `production`, always (`on`) or never (`off`)',
    default: 'production',
    problem: oneOf('production', 'on', 'off'),
  },
  METRICS_NAMESPACE: {
    description: 'CloudWatch namespace of the metrics; deployed stages use the name of their stack',
    default: 'marketdata',
    problem: notNamespace,
  },
  ERROR_TEXTS: {
    description:
      '`on` also logs the texts of 5xx responses outside development, without secrets; the class and code of a 500 are always logged',
    default: 'off',
    problem: oneOf('on', 'off'),
  },
} as const satisfies Record<string, Variable>;

const nodeEnvironments: readonly string[] = ['production', 'development', 'test'];

/** The problem of an unknown NODE_ENV, which opens the API like every value but `production`; undefined for a known one. */
export function nodeEnvProblem(value: string = variables.NODE_ENV.default): string | undefined {
  if (nodeEnvironments.includes(value)) return undefined;
  const known = nodeEnvironments.join(', ');
  return `NODE_ENV is ${JSON.stringify(value)}, which is none of ${known}: anybody may call without a key`;
}

/** The pipeline's own variables, which every function has besides those that its route names. */
export const pipelineEnvironment = [
  'NODE_ENV',
  'CLIENT_API_KEY',
  'ORIGIN_SECRET',
  'ORIGIN_SECRET_ALTERNATE',
  'METRICS',
  'METRICS_NAMESPACE',
  'ERROR_TEXTS',
] as const;

export type EnvironmentName = keyof typeof variables;
type DefaultedName = {
  [Name in EnvironmentName]: (typeof variables)[Name] extends { readonly default: string } ? Name : never;
}[EnvironmentName];
export type Environment = Readonly<
  Record<DefaultedName, string> & Partial<Record<Exclude<EnvironmentName, DefaultedName>, string>>
>;

type Source = Readonly<Record<string, string | undefined>>;

/** The variables of a schema that have a text or a default. */
function textsOf(schema: Readonly<Record<string, Variable>>, source: Source): [string, string, Variable][] {
  return Object.entries(schema).flatMap(([name, variable]) => {
    const given = source[name];
    const text = (variable.mayBeEmpty ? given : given || undefined) ?? variable.default;
    return text === undefined ? [] : [[name, text, variable]];
  });
}

/** The problems of the variables of a schema: each with its name, its text unless it is a secret, and the allowed values. */
export function settingProblems(schema: Readonly<Record<string, Variable>>, source: Source): string[] {
  return textsOf(schema, source).flatMap(([name, text, variable]) => {
    const problem = variable.problem?.(text);
    const shown = variable.secret ? '' : `=${JSON.stringify(text).slice(0, 80)}`;
    return problem ? `${name}${shown} ${problem}` : [];
  });
}

/** Throws a ConfigurationError that lists all problems, if there are any. */
export function refuseProblems(problems: readonly string[], what = 'Settings'): void {
  if (problems.length === 0) return;
  throw new ConfigurationError(
    `${what} that cannot be used:\n${problems.map((line) => `  ${line}`).join('\n')}`,
  );
}

/** Reads and checks every variable of the schema. Throws a ConfigurationError that lists all that cannot be used. */
export function parseEnvironment(source: NodeJS.ProcessEnv): Environment {
  refuseProblems(settingProblems(variables, source));
  // Every default is filled in.
  return Object.fromEntries(textsOf(variables, source)) as Environment;
}

let coldStart: Environment | undefined;

/** The environment as it was at this container's first request. Throws ConfigurationError if it is not usable. */
export function environment(): Environment {
  coldStart ??= parseEnvironment(process.env);
  return coldStart;
}

/** The value of a secret at this moment. Throws ConfigurationError if it is not set. */
export function readSecret(name: string): string {
  const value = process.env[name];
  if (!value) throw new ConfigurationError(`The secret ${name} is not set`);
  return value;
}

/** The last two fetched values by variable: a response to a request with the former one may still arrive. */
const fetched = new Map<string, readonly string[]>();

/** Makes a fetched value known to redaction, before it is used. */
export function noteSecret(name: string, value: string): void {
  const known = fetched.get(name) ?? [];
  if (value !== '' && value !== known[0]) fetched.set(name, [value, ...known].slice(0, 2));
}

/** The values of the schema's secrets and of the declared ones, including fetched values. */
export function secretValues(declared: readonly string[]): string[] {
  const own = Object.entries<Variable>(variables).flatMap(([name, { secret }]) => (secret ? [name] : []));
  const held = [...own, ...declared].flatMap((name) => process.env[name] || []);
  return [...held, ...declared.flatMap((name) => fetched.get(name) ?? [])];
}
