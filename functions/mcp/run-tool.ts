import type { CallToolResult } from '@modelcontextprotocol/server';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { HttpResult } from '../../shared/http/middleware/pipeline-request.ts';
import type { Route } from '../../shared/http/route.ts';
import type { Tool } from './tools.ts';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Runs a tool's route in this process like an HTTP request: through the route's whole pipeline, with this request's headers and
 * address. A failure of the route becomes a result with its text.
 */
export async function runTool(
  { route, load }: Tool,
  given: Arguments,
  { event, deadline }: { readonly event: APIGatewayProxyEventV2; readonly deadline: number },
): Promise<CallToolResult> {
  const unknown = Object.keys(given).filter((name) => route.parameters.every((known) => known.name !== name));
  if (unknown.length > 0) {
    const allowed = route.parameters.map(({ name }) => name).join(', ');
    return failed(`Unknown parameter: ${unknown.join(', ').slice(0, 200)}; allowed: ${allowed}`);
  }
  const { handler } = await load();
  // The pipeline reads nothing else from it.
  const context = { getRemainingTimeInMillis: () => deadline - Date.now() } as Context;
  return resultOf(await handler(eventOf(route, given, event), context));
}

/** The request as API Gateway would pass it to the route's own function. */
function eventOf(
  { method, path, parameters, hasBody }: Pick<Route, 'method' | 'path' | 'parameters' | 'hasBody'>,
  given: Arguments,
  event: APIGatewayProxyEventV2,
): APIGatewayProxyEventV2 {
  const valuesIn = (place: 'path' | 'query' | 'body') =>
    parameters
      .filter((parameter) => parameter.in === place && given[parameter.name] != null)
      .map(({ name }) => [name, given[name]] as const);
  const textsIn = (place: 'path' | 'query') =>
    valuesIn(place).map(([name, value]): [string, string] => [name, textOf(value)]);
  const { http } = event.requestContext;
  const routeKey = `${method} ${path}`;
  return {
    ...event,
    routeKey,
    rawPath: path,
    rawQueryString: new URLSearchParams(textsIn('query')).toString(),
    pathParameters: Object.fromEntries(textsIn('path')),
    body: hasBody ? JSON.stringify(Object.fromEntries(valuesIn('body')), digitsOf) : undefined,
    isBase64Encoded: false,
    requestContext: { ...event.requestContext, routeKey, http: { ...http, method, path } },
  };
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  const digits = digitsOf('', value);
  return typeof digits === 'string' ? digits : JSON.stringify(value);
}

/** A number as its shortest decimal text without an exponent: routes take only texts in a body. */
function digitsOf(_name: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  return value.toLocaleString('en-US', { useGrouping: false, maximumSignificantDigits: 21 });
}

/** The route's response: `data` unchanged, its origin, and both again as two lines of text. */
function resultOf({ statusCode, headers = {}, body = '' }: HttpResult): CallToolResult {
  const answer = JSON.parse(body); // the envelope
  if (!answer.success) {
    const retryAfter = headers['retry-after'];
    return failed(answer.error, `HTTP ${statusCode}${retryAfter ? `, try again in ${retryAfter} s` : ''}`);
  }
  const origin = {
    source: headers['x-data-source'],
    quality: headers['x-data-quality'],
    dataTime: headers['x-data-time'],
  };
  const known = Object.entries(origin).filter(([, value]) => value !== undefined);
  const from = known.map(([name, value]) => `${name}: ${value}`).join(', ');
  return {
    content: [{ type: 'text', text: `${JSON.stringify(answer.data)}\n${from}` }],
    structuredContent: { data: answer.data, ...Object.fromEntries(known) },
  };
}

function failed(...lines: readonly string[]): CallToolResult {
  return { content: [{ type: 'text', text: lines.join('\n') }], isError: true };
}
