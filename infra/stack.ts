import { join } from 'node:path';
import { Annotations, CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { routes } from '../functions/routes.ts';
import { jobs } from '../jobs/jobs.ts';
import type { RouteDefinition } from '../shared/route.ts';
import type { StageConfig } from './config.ts';
import { ApiRoute } from './constructs/api-route.ts';
import { ClientApiKey } from './constructs/client-api-key.ts';
import { DataBucket, type Published } from './constructs/data-bucket.ts';
import { functionEnvironment } from './constructs/function-environment.ts';
import { MarketDataApi } from './constructs/market-data-api.ts';
import { RegistryLayer } from './constructs/registry-layer.ts';
import { constructId, RouteFunction } from './constructs/route-function.ts';
import { runsADay, ScheduledJob } from './constructs/scheduled-job.ts';
import { SharedTable } from './constructs/shared-table.ts';
import { WebPage } from './constructs/web-page.ts';

export interface MarketDataStackProps {
  /** The name of the stage, such as `dev`. */
  readonly stage: string;
  readonly config: StageConfig;
  /** Where `npm run build` put the functions' bundles; `dist/functions` unless told. */
  readonly functionsFolder?: string;
  /** Where `npm run registry` put the layer's content; `dist/layers/registry` unless told. */
  readonly registryFolder?: string;
  /** Where `npm run build` put the web page; `dist/web` unless told. */
  readonly pageFolder?: string;
}

const builtFunctions = join(import.meta.dirname, '../dist/functions');
const builtRegistry = join(import.meta.dirname, '../dist/layers/registry');
const builtPage = join(import.meta.dirname, '../dist/web');

/** The whole service of one stage: the API, and one function for every route of the table. */
export class MarketDataStack extends Stack {
  constructor(scope: Construct, id: string, props: MarketDataStackProps) {
    const { stage } = props;
    const scheduledDaily = String(runsADay(jobs, props.config.environment));
    const config: StageConfig = {
      ...props.config,
      environment: { UPSTREAM_SCHEDULED_DAILY: scheduledDaily, ...props.config.environment },
    };
    const {
      functionsFolder = builtFunctions,
      registryFolder = builtRegistry,
      pageFolder = builtPage,
    } = props;
    super(scope, id, {
      description: `Market-data API, stage ${stage}`,
      env: { account: config.account, region: config.region },
    });

    const clientApiKey = new ClientApiKey(this, 'ClientApiKey', config);
    const sharedTable = new SharedTable(this, 'Shared', config);
    const api = new MarketDataApi(this, 'Api', { ...config, routes });

    const registryLayer = new RegistryLayer(this, 'RegistryLayer', registryFolder);
    const dataBucket = new DataBucket(this, 'DataBucket', config);

    for (const route of routes) {
      const reads = publishedFor(route);
      const handler = new RouteFunction(this, constructId(route), {
        ...config,
        route,
        functionsFolder,
        environment: {
          ...functionEnvironment(route, config, clientApiKey),
          ...dataBucket.environmentOf(...reads),
        },
        layers: route.registry ? [registryLayer] : undefined,
      });
      if (asksProvider(route)) sharedTable.share(handler);
      for (const kind of reads) dataBucket.grantReading(handler, kind);
      new ApiRoute(this, `${constructId(route)}Route`, { api: api.httpApi, route, handler });
    }

    for (const job of jobs) {
      const { function: handler } = new ScheduledJob(this, constructId(job), {
        ...config,
        job,
        settings: config.environment,
        functionsFolder,
        environment: { ...functionEnvironment(job, config), ...dataBucket.environmentOf(job.publishes) },
      });
      dataBucket.grantPublishing(handler, job.publishes);
      sharedTable.share(handler);
    }

    const page = new WebPage(this, 'WebPage', { ...config, api: api.httpApi, folder: pageFolder });

    new CfnOutput(this, 'PageUrl', { value: page.url, description: 'Address of the web page' });
    new CfnOutput(this, 'ApiUrl', { value: api.url, description: 'Base address of the API' });
    new CfnOutput(this, 'ClientApiKeyCommand', {
      value: clientApiKey.readCommand,
      description: 'Prints the key that callers send as x-api-key',
    });
    Tags.of(this).add('project', 'marketdata');
    Tags.of(this).add('stage', stage);

    if (config.nodeEnv !== 'production') {
      Annotations.of(this).addWarningV2(
        'marketdata:authentication-bypassed',
        `Stage ${stage} runs with NODE_ENV=${config.nodeEnv}: anybody may call it without a key`,
      );
    }
  }
}

/** Only functions that spend the upstream budget have to do with the table. */
function asksProvider({ environment = [] }: Pick<RouteDefinition, 'environment'>): boolean {
  return environment.includes('SHARED_TABLE');
}

/** What the function of a route looks for in the bucket. */
function publishedFor({ registry, snapshot }: Pick<RouteDefinition, 'registry' | 'snapshot'>): Published[] {
  return [...(registry ? (['registry'] as const) : []), ...(snapshot ? (['snapshot'] as const) : [])];
}
