import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ArnFormat, Duration, RemovalPolicy, SecretValue, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { RouteDefinition } from '../../shared/http/route.ts';
import { type EnvironmentName, pipelineEnvironment } from '../../shared/platform/environment.ts';
import { SECRET_REFERENCE } from '../../shared/platform/fetched-secret.ts';
import type { StageConfig } from '../config.ts';
import { acknowledge } from '../validation.ts';

/** The part of a route or job that configures its function. */
export type DeployedCode = Pick<RouteDefinition, 'name' | 'summary' | 'memoryMb' | 'timeoutSeconds'> &
  Partial<Pick<RouteDefinition, 'maxConcurrency' | 'environment' | 'secrets' | 'requestSecrets'>>;

type FunctionSettings = Pick<StageConfig, 'nodeEnv' | 'environment' | 'secretNames'>;

export interface ServiceFunctionProps {
  readonly code: DeployedCode;
  readonly config: FunctionSettings &
    Pick<StageConfig, 'logRetention' | 'removalPolicy' | 'tracing' | 'reserveConcurrency'>;
  readonly functionsFolder: string;
  /** Secrets shared by functions, by variable. */
  readonly sharedSecrets?: SharedSecrets;
  /** Variables besides the settings and secrets that the code names. */
  readonly environment: Readonly<Record<string, string>>;
  readonly layers?: lambda.ILayerVersion[];
}

type SharedSecrets = Readonly<Partial<Record<EnvironmentName, SecretValue>>>;

/** `marketdata/ticker` → `MarketdataTicker`. */
export function constructId({ name }: Pick<DeployedCode, 'name'>): string {
  return name.replace(/(?:^|[/-])(.)/g, (_, first: string) => first.toUpperCase());
}

/**
 * The function of a route or job: its prebuilt bundle, and a role that may write its log, read its secrets, and nothing else until it
 * is granted more.
 */
export class ServiceFunction extends lambda.Function {
  /** The target of requests and events, so that a rollback only moves the alias. */
  readonly live: lambda.Alias;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { code, config, functionsFolder, sharedSecrets, environment, layers } = props;
    const { logRetention, removalPolicy, tracing } = config;
    const role = new ServiceRole(scope, `${id}Role`, 'lambda');
    const logGroup = new LogGroup(scope, `${id}Logs`, { retention: logRetention, removalPolicy });
    logGroup.grantWrite(role);
    super(scope, id, {
      description: code.summary,
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      handler: 'index.handler',
      code: lambda.Code.fromAsset(bundleFolder(functionsFolder, code.name)),
      memorySize: code.memoryMb,
      timeout: Duration.seconds(code.timeoutSeconds),
      reservedConcurrentExecutions: config.reserveConcurrency ? code.maxConcurrency : undefined,
      environment: {
        ...functionEnvironment(code, config, Stack.of(scope).stackName, sharedSecrets),
        ...environment,
      },
      layers,
      role,
      logGroup,
      tracing: tracing ? lambda.Tracing.ACTIVE : undefined,
      // Old versions remain for rollbacks. The version of a failed deployment is deleted, because Lambda would not publish it again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    const resources = [...new Set(fetchedSecrets(code, config).values())].map((name) =>
      secretArn(this, name),
    );
    if (resources.length > 0)
      this.addToRolePolicy(
        new iam.PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources }),
      );
    this.live = new lambda.Alias(this, 'Live', { aliasName: 'live', version: this.currentVersion });
    if (tracing) {
      acknowledge(role, {
        'IAM5[Resource::*]':
          'xray:PutTraceSegments and xray:PutTelemetryRecords know no resources (IAM service reference).',
      });
    }
  }
}

function bundleFolder(functionsFolder: string, name: string): string {
  const folder = join(functionsFolder, name.replace('/', '-'));
  if (!existsSync(join(folder, 'index.mjs'))) {
    throw new Error(`No bundle of ${name} (${folder}/index.mjs): run npm run build first`);
  }
  return folder;
}

/** The coin registry built by `npm run registry`; functions find it in `/opt/registry`. */
export function registryLayer(scope: Construct, folder: string): lambda.LayerVersion {
  if (!existsSync(join(folder, 'registry/manifest.json'))) {
    throw new Error(
      `No coin registry in ${folder}/registry: run npm run registry -- --source simulated first`,
    );
  }
  return new lambda.LayerVersion(scope, 'RegistryLayer', {
    description: 'Coin registry: a precompiled index',
    code: lambda.Code.fromAsset(folder),
    compatibleArchitectures: [lambda.Architecture.ARM_64],
  });
}

/**
 * The environment of a function. The pipeline's and the provider's secrets are dynamic references that CloudFormation resolves at
 * deployment: the template contains no value, and no cold start waits for one. For secrets that its route declares, a function gets
 * the names and fetches the values. A stage may lack secrets that only some requests need (`requestSecrets`).
 */
export function functionEnvironment(
  code: Pick<DeployedCode, 'environment' | 'secrets' | 'requestSecrets'>,
  config: FunctionSettings,
  metricsNamespace: string,
  sharedSecrets: SharedSecrets = {},
): Record<string, string> {
  const { nodeEnv, secretNames } = config;
  const settings: Readonly<Record<string, string>> = config.environment;
  const given: Record<string, string> = { NODE_ENV: nodeEnv, METRICS_NAMESPACE: metricsNamespace };
  for (const [name, key] of Object.entries(sharedSecrets)) given[name] = key.unsafeUnwrap();
  for (const [name, secret] of fetchedSecrets(code, config)) given[name] = SECRET_REFERENCE + secret;
  for (const name of [...pipelineEnvironment, ...(code.environment ?? [])]) {
    if (name in given) continue;
    const secretName = secretNames[name];
    const value = secretName ? SecretValue.secretsManager(secretName).unsafeUnwrap() : settings[name];
    if (value !== undefined) given[name] = value;
  }
  return given;
}

/** The secrets that a function fetches: declared by its route and named by the stage, by variable. */
function fetchedSecrets(
  { secrets = [], requestSecrets = [] }: Pick<DeployedCode, 'secrets' | 'requestSecrets'>,
  { secretNames }: Pick<StageConfig, 'secretNames'>,
): Map<string, string> {
  const declared = new Set([...secrets, ...requestSecrets.flat()]);
  return new Map(Object.entries(secretNames).filter(([variable]) => declared.has(variable)));
}

/** Secrets Manager appends a hyphen and six random characters to the ARN of a named secret. */
function secretArn(scope: Construct, name: string): string {
  if (name.startsWith('arn:')) return name;
  return Stack.of(scope).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${name}-??????`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

/**
 * The role of one AWS service, with its grants inline. The stock `Role` adds a second resource, `AWS::IAM::Policy`; a stack may have
 * 500 resources, and a function with its route needs ten.
 */
export class ServiceRole extends iam.Role {
  readonly #granted: iam.PolicyDocument;

  constructor(scope: Construct, id: string, service: 'lambda' | 'scheduler') {
    const granted = new iam.PolicyDocument();
    super(scope, id, {
      assumedBy: new iam.ServicePrincipal(`${service}.amazonaws.com`),
      // The document is rendered at synth, with all grants.
      inlinePolicies: { Granted: granted },
    });
    this.#granted = granted;
  }

  override addToPrincipalPolicy(statement: iam.PolicyStatement): iam.AddToPrincipalPolicyResult {
    this.#granted.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
