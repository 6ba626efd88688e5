import type { TSchema } from 'typebox';
import { KEY_PARAMETER_PATHS, KEY_PARAMETERS } from '../../shared/http/client-key.ts';
import { type Parameter, parametersOf } from '../../shared/http/compile-schemas.ts';
import { ALLOWED_KEY, IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY_PATTERN } from '../../shared/http/idempotency.ts';
import type { Adapter, AdapterRoute, Route, RouteDefinition } from '../../shared/http/route.ts';
import { version } from '../../shared/platform/version.ts';
import { methodRoutes } from '../sdk/source.ts';
import { exampleBody } from './example.ts';
import { codeSamples } from './samples.ts';

type Json = Record<string, unknown>;
interface Properties {
  readonly properties?: Record<string, Json>;
}

const inProduction = 'Asked for in production only';

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: inProduction },
  bearer: { type: 'http', scheme: 'bearer', description: inProduction },
  demoKey: { type: 'apiKey', in: 'header', name: 'x-cg-demo-api-key', description: inProduction },
  proKey: { type: 'apiKey', in: 'header', name: 'x-cg-pro-api-key', description: inProduction },
};

/** For programs that can send nothing but an address. */
const querySchemes = Object.fromEntries(
  KEY_PARAMETERS.map((name) => [
    camelCase(`query/${name.replaceAll('_', '-')}`),
    { type: 'apiKey', in: 'query', name, description: inProduction },
  ]),
);
const anyOf = (schemes: object) => [...Object.keys(schemes).map((name) => ({ [name]: [] })), {}];

const idempotencyKey = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  required: false,
  description: `The same key and input give the same answer for 24 hours: ${ALLOWED_KEY}`,
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
};

const rateLimitHeaders = {
  'ratelimit-limit': 'Requests a minute that one client may make here',
  'ratelimit-remaining': 'How many of them are left',
  'ratelimit-reset': 'Seconds until they are counted anew',
};

const commonFailures: Record<number, string> = {
  400: 'A parameter is unknown, missing, malformed, unknown-valued or repeated; the text names it and what is allowed',
  401: 'In production: the key is absent, wrong, revoked or expired',
  403: 'The request did not come through the distribution, or its firewall refused it (without the envelope)',
  429: "This client's limit, or the provider's; `Retry-After` says when to come back",
  500: 'The service is not configured, or failed',
  503: 'The key of a named client cannot be checked at the moment',
};

const adapterFailures = {
  401: commonFailures[401] ?? '',
  429: commonFailures[429] ?? '',
  500: commonFailures[500] ?? '',
};

const bodyFailures = (maxBytes: number): Record<number, string> => ({
  413: `The body has more than ${maxBytes} bytes`,
  415: 'The body has no `content-type: application/json`',
});

/** Of a route without the envelope. */
const protocolFailure = { type: 'object', description: 'A JSON-RPC error' };

/** The OpenAPI 3.1 description of the routes; `examples` are the `data` of real answers by route name. */
export function openApiDocument(routes: readonly Route[], examples: Readonly<Record<string, unknown>>): Json {
  const documented = routes.filter(({ path, isPage }) => path !== '$default' && !isPage);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Market data API',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Prices and candles of crypto assets behind one envelope: `{"success":true,"data":…}` or ' +
        '`{"success":false,"error":"…"}`. Each GET answers HEAD as well, without the body. ' +
        'Unknown paths answer 404, unknown methods 405 with `Allow`.',
    },
    servers: [{ url: '/', description: 'Wherever this API is deployed; npm start: http://localhost:3000' }],
    security: anyOf(securitySchemes),
    paths: Object.fromEntries(
      documented.flatMap((route): [string, Json][] => {
        const { adapter, method, path, name } = route;
        if (!adapter) return [[path, { [method.toLowerCase()]: operation(route, examples[name]) }]];
        return adapter.routes.map((own) => [own.path, { get: adapterOperation(route, adapter, own) }]);
      }),
    ),
    components: {
      securitySchemes: { ...securitySchemes, ...querySchemes },
      schemas: {
        Failure: {
          type: 'object',
          required: ['success', 'error'],
          properties: { success: { const: false }, error: { type: 'string' } },
        },
      },
    },
  };
}

function operation(route: Route, example: unknown): Json {
  const { method, maxBodyBytes, envelope } = route;
  const ofBody = method === 'POST' ? bodyFailures(maxBodyBytes) : {};
  const failures = { ...commonFailures, ...ofBody, ...route.failures };
  const contentOf = (status: string) => {
    const isOfProtocol = envelope === false && status in (route.failures ?? {});
    return isOfProtocol ? protocolFailure : { $ref: '#/components/schemas/Failure' };
  };
  return {
    operationId: camelCase(route.name),
    'x-codeSamples': codeSamples({
      ...route,
      isMessage: envelope === false,
      isInClient: methodRoutes([route]).length > 0,
    }),
    tags: [route.name.split('/')[0]],
    summary: route.summary,
    description: `${route.description ? `${route.description}\n\n` : ''}At most ${route.requestsPerMinute} requests a minute from one client.`,
    parameters: [
      ...route.parameters
        .filter(({ in: place }) => place !== 'body')
        .map((parameter) => parameterOf(route, parameter)),
      ...(route.idempotent ? [idempotencyKey] : []),
    ],
    ...(route.body ? { requestBody: { required: true, content: bodyOf(route, route.body) } } : {}),
    ...(route.envelope === false ? { requestBody: { required: true, content: messageOf(route) } } : {}),
    responses: {
      200: {
        description: route.summary,
        headers: headersOf({ ...route.responseHeaders, ...rateLimitHeaders }),
        content: route.envelope === false ? json(plain(route.response)) : successOf(route, example),
      },
      ...Object.fromEntries(
        Object.entries(failures).map(([status, description]) => [
          status,
          { description, content: json(contentOf(status)) },
        ]),
      ),
    },
  };
}

/** Of one path of an adapter: no envelope, and errors of its own. */
function adapterOperation(route: Route, { failure }: Adapter, own: AdapterRoute): Json {
  const [domain = ''] = route.name.split('/');
  const failures: Record<number, string> = { ...adapterFailures, ...route.failures };
  const { response } = own;
  const parameters = parametersOf(own);
  const mayHaveKey = KEY_PARAMETER_PATHS.some((path) => own.path.startsWith(path));
  return {
    operationId: camelCase(`${domain}/${own.name}`),
    'x-codeSamples': codeSamples({
      ...own,
      method: 'GET',
      parameters,
      isInClient: false,
      isText: typeof response === 'string',
    }),
    tags: [domain],
    summary: own.summary,
    description: `${own.description ? `${own.description}\n\n` : ''}At most ${route.requestsPerMinute} requests a minute from one client, to all of ${domain} together.${route.parameters.length === 0 ? ' Unknown parameters are ignored.' : ''}`,
    parameters: parameters
      .filter(({ in: place }) => place !== 'body')
      .map((parameter) => parameterOf(own, parameter)),
    ...(mayHaveKey && { security: anyOf({ ...securitySchemes, ...querySchemes }) }),
    responses: {
      200: {
        description: own.summary,
        headers: headersOf({ ...route.responseHeaders, ...rateLimitHeaders }),
        content:
          typeof response === 'string'
            ? { [response]: { schema: { type: 'string' } } }
            : json(plain(response)),
      },
      ...Object.fromEntries(
        Object.entries(failures).map(([status, description]) => [
          status,
          { description, content: json(plain(failure)) },
        ]),
      ),
    },
  };
}

function camelCase(name: string): string {
  return name.replace(/[/-](.)/g, (_, letter: string) => letter.toUpperCase());
}

type Described = Pick<RouteDefinition, 'pathParameters' | 'query' | 'example'>;

function parameterOf(route: Described, { name, in: place, type, required }: Parameter): Json {
  const { properties = {} } = (place === 'path'
    ? route.pathParameters
    : route.query) as unknown as Properties;
  const { description, ...schema } = plain(properties[name] ?? {});
  return {
    name,
    in: place,
    required,
    ...(type === 'list' && { style: 'form', explode: false }),
    ...(description ? { description } : {}),
    schema,
    ...(route.example && name in route.example ? { example: route.example[name] } : {}),
  };
}

function bodyOf(route: Route, body: TSchema): Json {
  return json(plain(body), route.example && exampleBody(route));
}

/** Of a route without the envelope, whose protocol has its own description. */
function messageOf({ example }: Route): Json {
  return json({ type: 'object' }, example);
}

function successOf({ response }: Route, example: unknown): Json {
  return json(
    {
      type: 'object',
      required: ['success', 'data'],
      properties: { success: { const: true }, data: plain(response) },
    },
    example === undefined ? undefined : { success: true, data: example },
  );
}

function json(schema: Json, example?: unknown): Json {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

function headersOf(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

/** A schema as plain JSON: without the markers that its builder keeps on it. */
function plain(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}
