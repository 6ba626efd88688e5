import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { EnvironmentName, variables } from '../shared/environment.ts';

type SecretName = {
  [Name in EnvironmentName]: (typeof variables)[Name] extends { readonly secret: true } ? Name : never;
}[EnvironmentName];

/** What differs between deployed stages. Nothing here is a secret: secrets are named, never written. */
export interface StageConfig {
  /** Where to deploy; without them, wherever the CLI's credentials point. */
  readonly account?: string;
  readonly region?: string;
  /** `development` opens the API to callers without a key: a stage configured so warns at synth. */
  readonly nodeEnv: 'production' | 'development';
  /** Origins of web pages that may call the API from a browser; none: no CORS headers at all. */
  readonly corsOrigins: readonly string[];
  /** Requests of all callers together, before any function runs. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  readonly logRetention: RetentionDays;
  /** AWS X-Ray tracing of the functions, paid for by the trace. */
  readonly tracing: boolean;
  /** What becomes of logs and the client's key when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
  /** Plain settings, given to the functions whose route names them. */
  readonly environment: Readonly<Partial<Record<Exclude<EnvironmentName, SecretName | 'NODE_ENV'>, string>>>;
  /** Variable → name of an existing Secrets Manager secret, for the functions whose route names the variable. */
  readonly secretNames: Readonly<Record<string, string>>;
}

const production: StageConfig = {
  nodeEnv: 'production',
  // The address of the client application. example.com belongs to nobody, so nobody is let in by mistake.
  corsOrigins: ['https://app.example.com'],
  throttle: { requestsPerSecond: 100, burst: 200 },
  logRetention: RetentionDays.ONE_MONTH,
  tracing: false,
  removalPolicy: RemovalPolicy.RETAIN,
  // Of the free plan; stages that ask with the same key, or without one, have to share it between them.
  environment: { UPSTREAM_MONTHLY_BUDGET: '25000' },
  // With a paid plan: { COINPAPRIKA_API_KEY: 'marketdata/coinpaprika' }
  secretNames: {},
};

const stages: Readonly<Record<string, StageConfig>> = {
  dev: {
    ...production,
    corsOrigins: ['http://localhost:3000'],
    throttle: { requestsPerSecond: 20, burst: 40 },
    logRetention: RetentionDays.ONE_WEEK,
    removalPolicy: RemovalPolicy.DESTROY,
  },
  prod: production,
};

/** The stages that can be deployed. */
export const stageNames: readonly string[] = Object.keys(stages);

/** The configuration of a stage. Throws, with the known names, when there is no such stage. */
export function stageConfig(stage: string): StageConfig {
  const config = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
  if (!config)
    throw new Error(`Unknown stage "${stage}": use -c stage=<name> with one of ${stageNames.join(', ')}`);
  return config;
}
