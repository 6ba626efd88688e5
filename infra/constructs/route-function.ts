import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  Architecture,
  Code,
  type ILayerVersion,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { RouteDefinition } from '../../shared/http/route.ts';
import type { StageConfig } from '../config.ts';
import { acknowledge } from './acknowledge.ts';
import { ServiceRole } from './service-role.ts';

/** The part of a route's or a job's description that its function follows. */
type DeployedCode = Pick<RouteDefinition, 'name' | 'summary' | 'memoryMb' | 'timeoutSeconds'> &
  Partial<Pick<RouteDefinition, 'maxConcurrency'>>;

export interface RouteFunctionProps
  extends Pick<StageConfig, 'logRetention' | 'removalPolicy' | 'tracing' | 'reserveConcurrency'> {
  readonly route: DeployedCode;
  readonly functionsFolder: string;
  readonly environment: Record<string, string>;
  readonly layers?: ILayerVersion[];
}

/** `marketdata/ticker` → `MarketdataTicker`. */
export function constructId({ name }: Pick<DeployedCode, 'name'>): string {
  return name.replace(/(?:^|[/-])(.)/g, (_, first: string) => first.toUpperCase());
}

/** The function of one route: its prebuilt bundle, and a role that may do nothing but write its own log. */
export class RouteFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: RouteFunctionProps) {
    const { route, functionsFolder, environment, layers, logRetention, removalPolicy, tracing } = props;
    const role = new ServiceRole(scope, `${id}Role`, 'lambda');
    const logGroup = new LogGroup(scope, `${id}Logs`, { retention: logRetention, removalPolicy });
    logGroup.grantWrite(role);
    super(scope, id, {
      description: route.summary,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(bundleFolder(functionsFolder, route.name)),
      memorySize: route.memoryMb,
      timeout: Duration.seconds(route.timeoutSeconds),
      reservedConcurrentExecutions: props.reserveConcurrency ? route.maxConcurrency : undefined,
      environment,
      layers,
      role,
      logGroup,
      tracing: tracing ? Tracing.ACTIVE : undefined,
      // There is a version to go back to. One of a deployment that failed is deleted: Lambda would not publish it again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });

    if (tracing) {
      acknowledge(role, {
        'IAM5[Resource::*]':
          'xray:PutTraceSegments and xray:PutTelemetryRecords know no resources (IAM service reference).',
      });
    }
  }
}

function bundleFolder(functionsFolder: string, routeName: string): string {
  const folder = join(functionsFolder, routeName.replace('/', '-'));
  if (!existsSync(join(folder, 'index.mjs'))) {
    throw new Error(`No bundle of ${routeName} (${folder}/index.mjs): run npm run build first`);
  }
  return folder;
}
