import { Duration, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import * as apigateway from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { crossOrigin } from '../../shared/http/cross-origin.ts';
import type { RouteDefinition } from '../../shared/http/route.ts';
import type { StageConfig } from '../config.ts';
import { acknowledge } from '../validation.ts';

type PublicRoute = Pick<RouteDefinition, 'method' | 'responseHeaders' | 'idempotent' | 'unreadHeaders'>;

interface MarketDataApiProps
  extends Pick<StageConfig, 'corsOrigins' | 'throttle' | 'logRetention' | 'removalPolicy'> {
  readonly routes: readonly PublicRoute[];
}

/** The HTTP API of a stage with its one stage `$default`; `ApiRoute` adds the routes. */
export class MarketDataApi extends Construct {
  readonly httpApi: apigateway.HttpApi;
  /** Base address, with a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: MarketDataApiProps) {
    super(scope, id);
    const { corsOrigins, throttle, logRetention, removalPolicy, routes } = props;

    this.httpApi = new apigateway.HttpApi(this, 'HttpApi', {
      apiName: Stack.of(this).stackName,
      description: 'Market data: prices and candles in one envelope',
      corsPreflight: corsOrigins.length > 0 ? cors(corsOrigins, routes) : undefined,
      createDefaultStage: false,
    });
    const accessLog = new LogGroup(this, 'AccessLogs', { retention: logRetention, removalPolicy });
    const stage = new apigateway.HttpStage(this, 'Stage', {
      httpApi: this.httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
      accessLogSettings: {
        destination: new apigateway.LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(JSON.stringify(accessLogEntry)),
      },
    });
    this.url = stage.url;
  }
}

/** A line of the access log, without the caller's address or key, and with the path's pattern only. */
const accessLogEntry = {
  time: '$context.requestTime',
  requestId: '$context.requestId',
  route: '$context.routeKey',
  status: '$context.status',
  responseBytes: '$context.responseLength',
  responseMs: '$context.responseLatency',
  functionMs: '$context.integrationLatency',
  functionStatus: '$context.integrationStatus',
  error: '$context.integrationErrorMessage',
};

function cors(origins: readonly string[], routes: readonly PublicRoute[]): apigateway.CorsPreflightOptions {
  const { methods, allowedHeaders, exposedHeaders } = crossOrigin(routes);
  return {
    allowOrigins: [...origins],
    allowMethods: methods.map((method) => apigateway.CorsHttpMethod[method]),
    allowHeaders: allowedHeaders,
    exposeHeaders: exposedHeaders,
    maxAge: Duration.hours(1),
  };
}

type RouteAddress = Pick<RouteDefinition, 'name' | 'method' | 'path' | 'adapter' | 'timeoutSeconds'>;

/**
 * The paths of a route. Without a distribution, the page's function takes all paths that no other route has, files included; unknown
 * paths below /api are refused as usual.
 */
export function pathsOf(
  { path, isPage }: Pick<RouteDefinition, 'path' | 'isPage'>,
  { edge }: Pick<StageConfig, 'edge'>,
): RouteDefinition['path'][] {
  if (edge) return [path];
  if (isPage) return ['/', '/{path+}'];
  return path === '$default' ? [path, '/api/{path+}'] : [path];
}

/** API Gateway's longest wait; the function's own time-out comes first, with room for a cold start. */
const gatewayTimeoutSeconds = 29;

const reason = {
  APIG4:
    "The function itself compares x-api-key with the client's key, so that a refusal has the envelope of every other answer; an HTTP API has no API-key authorizer.",
};

/**
 * Routes requests (GET together with HEAD) to the alias of a function. An adapter has one route for all its paths and methods, and its
 * function refuses unknown ones, because a stack is limited to 500 resources.
 */
export class ApiRoute extends apigateway.HttpRoute {
  constructor(
    scope: Construct,
    id: string,
    api: apigateway.HttpApi,
    route: RouteAddress,
    handler: IFunction,
  ) {
    if (route.timeoutSeconds >= gatewayTimeoutSeconds) {
      throw new Error(
        `Route ${route.name}: timeoutSeconds must be below ${gatewayTimeoutSeconds}, API Gateway's own`,
      );
    }
    const integration = new RouteIntegration(handler, route);
    super(scope, id, {
      httpApi: api,
      routeKey:
        route.path === '$default'
          ? apigateway.HttpRouteKey.DEFAULT
          : apigateway.HttpRouteKey.with(
              route.path,
              apigateway.HttpMethod[route.adapter ? 'ANY' : route.method],
            ),
      integration,
    });
    acknowledge(this, reason);
    if (route.method !== 'GET' || route.adapter) return;
    const routeKey = apigateway.HttpRouteKey.with(route.path, apigateway.HttpMethod.HEAD);
    acknowledge(new apigateway.HttpRoute(this, 'Head', { httpApi: api, routeKey, integration }), reason);
  }
}

/** The stock integration with one invoke permission for the route, instead of one for each method. */
class RouteIntegration extends HttpLambdaIntegration {
  readonly #handler: IFunction;
  readonly #route: RouteAddress;
  #isPermitted = false;

  constructor(handler: IFunction, route: RouteAddress) {
    super('Integration', handler, { timeout: Duration.seconds(gatewayTimeoutSeconds) });
    this.#handler = handler;
    this.#route = route;
  }

  protected override completeBind({ scope, route }: apigateway.HttpRouteIntegrationBindOptions): void {
    if (this.#isPermitted) return;
    this.#isPermitted = true;
    this.#handler.addPermission('Permission', {
      scope,
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: Stack.of(scope).formatArn({
        service: 'execute-api',
        resource: route.httpApi.apiId,
        // `*` is the API's only stage, `$default`.
        resourceName: `*/${arnOfRoute(this.#route)}`,
      }),
    });
  }
}

function arnOfRoute({ method, path, adapter }: RouteAddress): string {
  if (path === '$default') return path;
  if (adapter) return `*${path.replace(/\{.*/, '*')}`;
  return `${method === 'POST' ? method : '*'}${path.replace(/\{[^}]+\+\}/, '*')}`; // GET and HEAD
}
