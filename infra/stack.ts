import { join } from 'node:path';
import { Annotations, CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { routes } from '../functions/routes.ts';
import { jobs } from '../jobs/jobs.ts';
import type { RouteDefinition } from '../shared/route.ts';
import type { StageConfig } from './config.ts';
import { ApiRoute } from './constructs/api-route.ts';
import { ClientApiKey } from './constructs/client-api-key.ts';
import { functionEnvironment } from './constructs/function-environment.ts';
import { MarketDataApi } from './constructs/market-data-api.ts';
import { RegistryBucket } from './constructs/registry-bucket.ts';
import { RegistryLayer } from './constructs/registry-layer.ts';
import { constructId, RouteFunction } from './constructs/route-function.ts';
import { ScheduledJob } from './constructs/scheduled-job.ts';
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
    const { stage, config } = props;
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
    const registryBucket = new RegistryBucket(this, 'RegistryBucket', config);

    for (const route of routes) {
      const environment = functionEnvironment(route, config, clientApiKey);
      const handler = new RouteFunction(this, constructId(route), {
        ...config,
        route,
        functionsFolder,
        ...(route.registry
          ? {
              environment: { ...environment, REGISTRY_BUCKET: registryBucket.bucketName },
              layers: [registryLayer],
            }
          : { environment }),
      });
      if (asksProvider(route)) sharedTable.share(handler);
      if (route.registry) registryBucket.grantRegistryRead(handler);
      new ApiRoute(this, `${constructId(route)}Route`, { api: api.httpApi, route, handler });
    }

    for (const job of jobs) {
      const { function: handler } = new ScheduledJob(this, constructId(job), {
        ...config,
        job,
        functionsFolder,
        environment: {
          ...functionEnvironment(job, config),
          REGISTRY_BUCKET: registryBucket.bucketName,
        },
      });
      registryBucket.grantRegistryPublish(handler);
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
