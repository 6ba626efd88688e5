import { join } from 'node:path';
import { Annotations, CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { routes } from '../functions/routes.ts';
import type { StageConfig } from './config.ts';
import { ApiRoute } from './constructs/api-route.ts';
import { ClientApiKey } from './constructs/client-api-key.ts';
import { functionEnvironment } from './constructs/function-environment.ts';
import { MarketDataApi } from './constructs/market-data-api.ts';
import { constructId, RouteFunction } from './constructs/route-function.ts';

export interface MarketDataStackProps {
  /** The name of the stage, such as `dev`. */
  readonly stage: string;
  readonly config: StageConfig;
  /** Where `npm run build` put the functions' bundles; `dist/functions` unless told. */
  readonly functionsFolder?: string;
}

const builtFunctions = join(import.meta.dirname, '../dist/functions');

/** The whole service of one stage: the API, and one function for every route of the table. */
export class MarketDataStack extends Stack {
  constructor(scope: Construct, id: string, props: MarketDataStackProps) {
    const { stage, config, functionsFolder = builtFunctions } = props;
    super(scope, id, {
      description: `Market-data API, stage ${stage}`,
      env: { account: config.account, region: config.region },
    });

    const clientApiKey = new ClientApiKey(this, 'ClientApiKey', config);
    const api = new MarketDataApi(this, 'Api', { ...config, routes });

    for (const route of routes) {
      const handler = new RouteFunction(this, constructId(route), {
        ...config,
        route,
        functionsFolder,
        environment: functionEnvironment(route, config, clientApiKey),
      });
      new ApiRoute(this, `${constructId(route)}Route`, { api: api.httpApi, route, handler });
    }

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
