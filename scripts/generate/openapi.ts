/** docs/openapi.json from the route table, with real responses as examples. */
import { routes as routeTable } from '../../functions/routes.ts';
import { KEY_PARAMETER_PATHS, KEY_PARAMETERS } from '../../shared/http/client-key.ts';
import { compileResponse, type Parameter, parametersOf } from '../../shared/http/compile-schemas.ts';
import { ALLOWED_KEY, IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY_PATTERN } from '../../shared/http/idempotency.ts';
import type { AdapterRoute, Route } from '../../shared/http/route.ts';
import { version } from '../../shared/platform/version.ts';
import { exampleAnswers, exampleBody } from './examples.ts';
import { codeSamples } from './samples.ts';
import { methodRoutes } from './sdk.ts';

type Json = Record<string, unknown>;
type Examples = Readonly<Record<string, unknown>>;

const inProduction = 'Needed in production only';

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: inProduction },
  bearer: { type: 'http', scheme: 'bearer', description: inProduction },
  demoKey: { type: 'apiKey', in: 'header', name: 'x-cg-demo-api-key', description: inProduction },
  proKey: { type: 'apiKey', in: 'header', name: 'x-cg-pro-api-key', description: inProduction },
};

/** The schemes of programs that can send nothing but an address. */
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
  description: `The same key and input return the same response for 24 hours: ${ALLOWED_KEY}`,
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
};

const rateLimitHeaders = {
  'ratelimit-limit': 'Requests a minute that one client may make to this route',
  'ratelimit-remaining': 'Requests left in this minute',
  'ratelimit-reset': 'Seconds until the limit resets',
};

const adapterFailures = {
  401: 'In production: the key is absent, wrong, revoked or expired',
  429: "This client's limit, or the provider's; `Retry-After` says when to come back",
  500: 'The service is not configured, or failed',
};
const commonFailures = {
  ...adapterFailures,
  400: 'A parameter is unknown, missing, malformed, unknown-valued or repeated; the text names it and what is allowed',
  403: 'The request did not come through the distribution, or the firewall refused it (without the envelope)',
  503: 'The key of a named client cannot be checked at the moment',
};

const bodyFailures = (maxBytes: number): Record<number, string> => ({
  413: `The body has more than ${maxBytes} bytes`,
  415: 'The body has no `content-type: application/json`',
});

/** The OpenAPI 3.1 description of the routes; `examples` are the `data` of real answers by route name. */
export function openApiDocument(routes: readonly Route[], examples: Examples): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes.filter(({ path, isPage }) => path !== '$default' && !isPage)) {
    if (!route.adapter)
      paths[route.path] = { [route.method.toLowerCase()]: operation(route, route, examples[route.name]) };
    for (const own of route.adapter?.routes ?? [])
      paths[own.path] = { get: operation(route, own, undefined) };
  }
  const failure = {
    type: 'object',
    required: ['success', 'error'],
    properties: { success: { const: false }, error: { type: 'string' } },
  };
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
    paths,
    components: {
      securitySchemes: { ...securitySchemes, ...querySchemes },
      schemas: { Failure: failure },
    },
  };
}

/** The operation of a route, or of one path of an adapter, which has no envelope and its own errors. */
function operation(route: Route, own: Route | AdapterRoute, example: unknown): Json {
  const { adapter, method, maxBodyBytes, requestsPerMinute } = route;
  const [domain = ''] = route.name.split('/');
  const parameters = parametersOf(own);
  // Another protocol, whose messages are described elsewhere.
  const isMessage = !adapter && route.envelope === false;
  const body = adapter ? undefined : route.body;
  const failures: Record<number, string> = {
    ...(adapter ? adapterFailures : commonFailures),
    ...(method === 'POST' ? bodyFailures(maxBodyBytes) : {}),
    ...route.failures,
  };
  const failureOf = (status: string): Json => {
    if (adapter) return plain(adapter.failure);
    const isOfProtocol = isMessage && status in (route.failures ?? {});
    if (isOfProtocol) return { type: 'object', description: 'A JSON-RPC error' };
    return { $ref: '#/components/schemas/Failure' };
  };
  const ignored = adapter && route.parameters.length === 0 ? ' Unknown parameters are ignored.' : '';
  const limit = `At most ${requestsPerMinute} requests a minute from one client${adapter ? `, to all of ${domain} together` : ''}.`;
  const takesKey = adapter && KEY_PARAMETER_PATHS.some((path) => own.path.startsWith(path));
  return {
    operationId: camelCase(adapter ? `${domain}/${own.name}` : own.name),
    'x-codeSamples': codeSamples({
      ...own,
      ...{ method, parameters, hasBody: route.hasBody, isMessage },
      isInClient: !adapter && methodRoutes([route]).length > 0,
      isText: typeof own.response === 'string',
    }),
    tags: [domain],
    summary: own.summary,
    description: `${own.description ? `${own.description}\n\n` : ''}${limit}${ignored}`,
    parameters: [
      ...parameters.filter((one) => one.in !== 'body').map((one) => parameterOf(own, one)),
      ...(route.idempotent ? [idempotencyKey] : []),
    ],
    ...(takesKey && { security: anyOf({ ...securitySchemes, ...querySchemes }) }),
    ...(body && { requestBody: { required: true, content: json(plain(body), exampleBody(route)) } }),
    ...(isMessage && {
      requestBody: { required: true, content: json({ type: 'object' }, route.example) },
    }),
    responses: {
      200: {
        description: own.summary,
        headers: headersOf({ ...route.responseHeaders, ...rateLimitHeaders }),
        content:
          adapter || isMessage
            ? contentOf(own.response)
            : json(enveloped(own.response), example && { success: true, data: example }),
      },
      ...Object.fromEntries(
        Object.entries(failures).map(([status, description]) => [
          status,
          { description, content: json(failureOf(status)) },
        ]),
      ),
    },
  };
}

function camelCase(name: string): string {
  return name.replace(/[/-](.)/g, (_, letter: string) => letter.toUpperCase());
}

function parameterOf(route: Route | AdapterRoute, { name, in: place, type, required }: Parameter): Json {
  const { properties = {} } = plain(place === 'path' ? route.pathParameters : route.query);
  const { description, ...schema } = (properties as Record<string, Json>)[name] ?? {};
  return {
    name,
    in: place,
    required,
    ...(type === 'list' && { style: 'form', explode: false }),
    ...(description ? { description } : {}),
    schema,
    ...(name in route.example && { example: route.example[name] }),
  };
}

function enveloped(response: unknown): Json {
  return {
    type: 'object',
    required: ['success', 'data'],
    properties: { success: { const: true }, data: plain(response) },
  };
}

/** The schema of a whole response; a text is a media type. */
function contentOf(response: unknown): Json {
  return typeof response === 'string'
    ? { [response]: { schema: { type: 'string' } } }
    : json(plain(response));
}

function json(schema: Json, example?: unknown): Json {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

function headersOf(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

/** A schema as plain JSON, without its builder's internal markers. */
function plain(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}

interface Written {
  readonly parameters: unknown;
  readonly requestBody?: unknown;
  readonly responses: { 200: { content: { 'application/json'?: { example?: { data: unknown } } } } };
}
type Document = { readonly paths: Record<string, Record<string, Written>> };

/** The examples of a document that still fit their route: the same request, and a response that matches the schema. */
function keptExamples(before: Document): Examples {
  const after = openApiDocument(routeTable, {}) as unknown as Document;
  const kept = methodRoutes(routeTable).flatMap(({ name, path, method, response }) => {
    const [old, now] = [before, after].map(({ paths }) => paths[path]?.[method.toLowerCase()]);
    const example = old?.responses[200].content['application/json']?.example;
    const requestOf = (one: Written | undefined) => JSON.stringify([one?.parameters, one?.requestBody]);
    const fits =
      example && requestOf(old) === requestOf(now) && compileResponse(response)(example.data).length === 0;
    return fits ? [[name, example.data]] : [];
  });
  return Object.fromEntries(kept);
}

/** Responses of the local service and a local chain. */
async function newExamples(): Promise<Examples> {
  const { prepareFor } = await import('../../local/prepare.ts');
  const { startLocalService } = await import('../../local/service.ts');
  await prepareFor('simulated', {}, console.error, { chain: 'local' });
  const service = await startLocalService({
    chain: 'local',
    provider: { mode: 'simulated' },
    store: { history: true }, // some routes read only the store
    quiet: true,
  });
  return exampleAnswers(service.url, routeTable).finally(() => service.close());
}

/**
 * The text of the document. Examples of the one before are kept while they fit; a local service answers the other example
 * requests, or all if there is none before.
 */
export async function generatedDocument(before?: string): Promise<string> {
  const kept = before === undefined ? {} : keptExamples(JSON.parse(before));
  const isComplete = Object.keys(kept).length === methodRoutes(routeTable).length;
  const examples = isComplete ? kept : { ...(await newExamples()), ...kept };
  return `${JSON.stringify(openApiDocument(routeTable, examples), null, 2)}\n`;
}
