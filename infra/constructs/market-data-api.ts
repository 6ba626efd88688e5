import { Duration, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CorsHttpMethod,
  type CorsPreflightOptions,
  HttpApi,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { KEY_HEADERS } from '../../shared/http/client-key.ts';
import { IDEMPOTENCY_HEADER } from '../../shared/http/idempotency.ts';
import type { RouteDefinition } from '../../shared/http/route.ts';
import type { StageConfig } from '../config.ts';

type PublicRoute = Pick<RouteDefinition, 'method' | 'responseHeaders' | 'idempotent' | 'unreadHeaders'>;

interface MarketDataApiProps
  extends Pick<StageConfig, 'corsOrigins' | 'throttle' | 'logRetention' | 'removalPolicy'> {
  readonly routes: readonly PublicRoute[];
}

/** The HTTP API of a stage with its one stage `$default`; `ApiRoute` adds the routes. */
export class MarketDataApi extends Construct {
  readonly httpApi: HttpApi;
  /** Base address, with a slash at its end. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: MarketDataApiProps) {
    super(scope, id);
    const { corsOrigins, throttle, logRetention, removalPolicy, routes } = props;

    this.httpApi = new HttpApi(this, 'HttpApi', {
      apiName: Stack.of(this).stackName,
      description: 'Market data: prices and candles in one envelope',
      corsPreflight: corsOrigins.length > 0 ? cors(corsOrigins, routes) : undefined,
      createDefaultStage: false,
    });
    const accessLog = new LogGroup(this, 'AccessLogs', { retention: logRetention, removalPolicy });
    const stage = new HttpStage(this, 'Stage', {
      httpApi: this.httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(JSON.stringify(accessLogEntry)),
      },
    });
    this.url = stage.url;
  }
}

/** A line of the access log. Nothing tells who called or for what: no address or key, no path but its pattern. */
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

/**
 * Response headers of every route that a web page may read, beside those that a route documents itself. The last three
 * tell what time it is, wherever the answer was kept meanwhile.
 */
const commonHeaders = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Date',
  'Age',
  'X-Cache',
];

const allowedWith: Readonly<Record<PublicRoute['method'], readonly CorsHttpMethod[]>> = {
  GET: [CorsHttpMethod.GET, CorsHttpMethod.HEAD],
  POST: [CorsHttpMethod.POST],
  ANY: [],
};

function cors(origins: readonly string[], routes: readonly PublicRoute[]): CorsPreflightOptions {
  const methods = new Set(routes.flatMap(({ method }) => allowedWith[method]));
  const headers = new Set([
    ...commonHeaders,
    ...routes.flatMap((route) => Object.keys(route.responseHeaders ?? {})),
  ]);
  return {
    allowOrigins: [...origins],
    allowMethods: [...methods],
    allowHeaders: [
      'content-type',
      ...KEY_HEADERS,
      ...(routes.some(({ idempotent }) => idempotent) ? [IDEMPOTENCY_HEADER] : []),
      ...routes.flatMap(({ unreadHeaders = [] }) => unreadHeaders),
    ],
    exposeHeaders: [...headers],
    maxAge: Duration.hours(1),
  };
}
