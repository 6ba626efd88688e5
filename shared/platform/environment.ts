/** The environment of every function: one schema that the infrastructure, the handlers and the tests share. */
import { ConfigurationError } from './configuration-error.ts';
import { integerBetween, namesOf, notHttpUrl, notNamespace, oneOf } from './setting-problems.ts';

export interface Variable {
  readonly description: string;
  readonly default?: string;
  /** Its value never leaves the process: cut from every error text and log line. */
  readonly secret?: true;
  /** Says what is allowed if the text is not usable. */
  readonly problem?: (text: string) => string | undefined;
  /** Whether an empty text means nothing instead of the default. */
  readonly mayBeEmpty?: true;
}

export const variables = {
  NODE_ENV: {
    description:
      '`production`: callers need a key. `development`, `test` or anything else: authentication is bypassed, and a value that is none of the three is said aloud at the start',
    default: 'development',
  },
  CLIENT_API_KEY: {
    description:
      'The key that callers send in production, as `x-api-key` or in another place that keys are read from',
    secret: true,
  },
  CLIENT_API_KEY_PREVIOUS: {
    description: 'While a key is being changed: the one before it, which callers may still send',
    secret: true,
  },
  ORIGIN_SECRET: {
    description:
      'Secret that the distribution sends as `x-origin-secret`; if it is set, requests without it are refused',
    secret: true,
  },
  ORIGIN_SECRET_ALTERNATE: {
    description: 'A second such secret, accepted as well, so that one can be changed while the other is sent',
    secret: true,
  },
  COINPAPRIKA_BASE_URL: {
    description: 'Address of CoinPaprika’s API; with a paid key its default is the host of the paid plans',
    problem: notHttpUrl,
  },
  COINPAPRIKA_API_KEY: { description: 'Key of a paid CoinPaprika plan; none: the free plan', secret: true },
  COINPAPRIKA_PLAN: {
    description:
      'CoinPaprika’s plan that the key pays for, so that nothing is asked for that it does not have; by default `free` without a key, and all of it with one',
    problem: oneOf('free', 'starter', 'pro', 'business', 'ultimate'),
  },
  COINBASE_BASE_URL: { description: 'Address of Coinbase Exchange’s API', problem: notHttpUrl },
  KRAKEN_BASE_URL: { description: 'Address of Kraken’s API', problem: notHttpUrl },
  BINANCE_BASE_URL: { description: 'Address of Binance’s API of market data', problem: notHttpUrl },
  DEFILLAMA_BASE_URL: { description: 'Address of DefiLlama’s API of token prices', problem: notHttpUrl },
  ECB_BASE_URL: {
    description: 'Address of the European Central Bank’s reference rates',
    problem: notHttpUrl,
  },
  COINGECKO_BASE_URL: {
    description: 'Address of CoinGecko’s API, for its list of coins',
    problem: notHttpUrl,
  },
  ZEROX_BASE_URL: {
    description: 'Address of 0x’s API, which the aggregator’s quotes come from',
    default: 'https://api.0x.org',
    problem: notHttpUrl,
  },
  CANDLE_SOURCES: {
    description:
      'Exchanges that jobs ask for candles and for a second opinion on prices, the preferred one first; empty: none',
    default: 'coinbase,kraken,binance',
    problem: namesOf('coinbase', 'kraken', 'binance'),
    mayBeEmpty: true,
  },
  TOKEN_SOURCES: {
    description: 'Who jobs ask for the prices of tokens by their contracts; empty: nobody',
    default: 'defillama',
    problem: namesOf('defillama'),
    mayBeEmpty: true,
  },
  ID_SOURCES: {
    description:
      'Whose ids are matched with ours once a day; empty: nobody’s. CoinGecko asks whoever uses its list to show “Data provided by CoinGecko” with a link (brand.coingecko.com/resources/attribution-guide)',
    default: 'coingecko',
    problem: namesOf('coingecko'),
    mayBeEmpty: true,
  },
  UPSTREAM_TIMEOUT_MS: {
    description: 'Total time for one upstream request with its retry, in milliseconds',
    default: '8000',
    problem: integerBetween(100, 14_000),
  },
  TICKER_FRESH_SECONDS: {
    description: 'Seconds that a ticker stays fresh; the free plan makes a new one every 600 s at most',
    default: '60',
    problem: integerBetween(1, 3600),
  },
  REGISTRY_PATH: { description: 'Folder of the coin registry', default: '/opt/registry' },
  REGISTRY_BUCKET: {
    description: 'S3 bucket with the daily coin registry; none: the one that came with the function is kept',
  },
  SNAPSHOT_BUCKET: {
    description: 'S3 bucket with the snapshot of all tickers; none: each ticker is asked for by itself',
  },
  HISTORY_BUCKET: {
    description:
      'S3 bucket with our own history of all coins; none: each chart is asked for by itself, and nothing is kept',
  },
  SOURCES_BUCKET: {
    description:
      'S3 bucket with what is known of other sources: which market is which coin, and what they say; none: only the provider is asked',
  },
  EXPORTS_BUCKET: {
    description: 'S3 bucket for the history as Parquet files; none: the monthly job has nowhere to write',
  },
  SNAPSHOT_MINUTES: {
    description: 'Minutes between two snapshots of all tickers, each of them one upstream request',
    default: '10',
    problem: integerBetween(1, 60),
  },
  TOKENS_MINUTES: {
    description: 'Minutes between two runs that price tokens by their contracts',
    default: '10',
    problem: integerBetween(10, 60),
  },
  CANDLES_MINUTES: {
    description: 'Minutes between two runs that fetch the running hours from exchanges; a part of an hour',
    default: '10',
    problem: oneOf('10', '15', '20', '30', '60'),
  },
  STALE_WAIT_MS: {
    description: 'Milliseconds that a request waits for a refresh before it is answered with the stale entry',
    default: '300',
    problem: integerBetween(0, 10_000),
  },
  SHARED_TABLE: {
    description:
      'Name of the DynamoDB table that coordinates all instances; none: each instance is on its own',
  },
  KEYS_TABLE: {
    description: 'Name of the same table, for the row of the clients’ keys; none: there are no named clients',
  },
  PAGE_URL: {
    description: 'Address of the web page, with the API below it, which the probe asks',
    problem: notHttpUrl,
  },
  UPSTREAM_MONTHLY_BUDGET: {
    description: 'Requests to the provider in a month (UTC), of all instances together',
    default: '20000',
    problem: integerBetween(1, 999_999_999),
  },
  UPSTREAM_SCHEDULED_DAILY: {
    description: 'Requests of each day that are kept for scheduled work',
    default: '0',
    problem: integerBetween(0, 999_999_999),
  },
  UPSTREAM_CLIENT_PERCENT: {
    description:
      'Percent of a day’s requests to the provider (those for scheduled work aside) that one client, by the name of its key or its address, may cause in an hour; never fewer than 10',
    default: '10',
    problem: integerBetween(1, 100),
  },
  METRICS: {
    description:
      'When metrics are printed, one line a request: in `production`, always (`on`) or never (`off`)',
    default: 'production',
    problem: oneOf('production', 'on', 'off'),
  },
  METRICS_NAMESPACE: {
    description: 'CloudWatch namespace of the metrics; a deployed stage gives the name of its stack',
    default: 'marketdata',
    problem: notNamespace,
  },
  ERROR_TEXTS: {
    description:
      '`on`: the texts of answers 5xx are logged outside of development too, without secrets; of a 500 the class and code always are',
    default: 'off',
    problem: oneOf('on', 'off'),
  },
} as const satisfies Record<string, Variable>;

const nodeEnvironments: readonly string[] = ['production', 'development', 'test'];

/** What is wrong with a NODE_ENV that is none of those that mean anything; it opens the API like all but one. */
export function nodeEnvProblem(value: string = variables.NODE_ENV.default): string | undefined {
  if (nodeEnvironments.includes(value)) return undefined;
  const known = nodeEnvironments.join(', ');
  return `NODE_ENV is ${JSON.stringify(value)}, which is none of ${known}: anybody may call without a key`;
}

/** The pipeline's own variables, which every function has besides those that its route names. */
export const pipelineEnvironment = [
  'NODE_ENV',
  'CLIENT_API_KEY',
  'CLIENT_API_KEY_PREVIOUS',
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

/** What is wrong with the variables of a schema: for each bad one its name, its text if it is no secret, and what is allowed. */
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

/** By variable, the last two values that were fetched: an answer to a request with the former may still come. */
const fetched = new Map<string, readonly string[]>();

/** Lets redaction know a fetched value, before anybody else does. */
export function noteSecret(name: string, value: string): void {
  const known = fetched.get(name) ?? [];
  if (value !== '' && value !== known[0]) fetched.set(name, [value, ...known].slice(0, 2));
}

/** The values of the schema's secrets and the declared ones, those that were fetched included. */
export function secretValues(declared: readonly string[]): string[] {
  const own = Object.entries<Variable>(variables).flatMap(([name, { secret }]) => (secret ? [name] : []));
  const held = [...own, ...declared].flatMap((name) => process.env[name] || []);
  return [...held, ...declared.flatMap((name) => fetched.get(name) ?? [])];
}
