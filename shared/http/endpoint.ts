import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { type Environment, environment, readSecret } from '../platform/environment.ts';
import type { SecretSource } from '../platform/fetched-secret.ts';
import { payerOf } from './client.ts';
import { ApiError } from './errors.ts';
import { idempotencyKey } from './idempotency.ts';
import { authentication } from './middleware/authentication.ts';
import { envelope } from './middleware/envelope.ts';
import { errorReport } from './middleware/error-report.ts';
import { validation } from './middleware/input.ts';
import { type HttpResult, stateOf } from './middleware/pipeline-request.ts';
import { rateLimit } from './middleware/rate-limit.ts';
import { requestMetrics } from './middleware/request-metrics.ts';
import type { DataOf, InputOf, RuntimeRoute } from './route.ts';

/** A handler's second argument, besides its input. */
export interface Dependencies {
  readonly event: APIGatewayProxyEventV2;
  readonly environment: Environment;
  /** The secrets that the route declares, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** One of the route's `requestSecrets`. Throws the 500 of a missing secret. */
  secret(name: string): Promise<string>;
  /** The caller's `Idempotency-Key`, if there is one and the route is `idempotent`. */
  readonly idempotencyKey: string | undefined;
  /** Headers of the response, in lower case; a handler may add to them. */
  readonly headers: Record<string, string>;
  /** A pseudonym of the caller, for its share of upstream requests. */
  payer(): string;
  /** When the handler should be done, ahead of the function's own time-out; in ms since the epoch. */
  readonly deadline: number;
}

export type LambdaHandler = (event: APIGatewayProxyEventV2, context: Context) => Promise<HttpResult>;

/** A handler should be done that long before the function's time-out. */
const TIME_TO_ANSWER_MS = 500;
/**
 * The pipeline answers 504 that long before the time-out. Half of the time to answer is the handler's, to report what kept it; the
 * other half is for the hooks of an error and the runtime. On the processor share of 256 MB the hooks take 60 ms, and 100 with the
 * first line of a log; middy's own 5 ms lost these answers.
 */
const TIME_TO_FAIL_MS = TIME_TO_ANSWER_MS / 2;
const NO_SECRETS: Record<string, string> = {};

/** Loaded with the first text that is searched for secrets: no cold start of an endpoint with the envelope waits for it. */
const redaction = () => import('../platform/redaction.ts');

/**
 * The Lambda handler of a route. `handle` returns the `data` of the envelope, which must not change afterwards (its JSON
 * text is cached with it), or throws: an ApiError with its status and text; any other error becomes a 500. A route that
 * declares secrets passes `fetchedSecret` as their source, so that other functions do not load the code that fetches. A
 * route without the envelope passes `wholeAnswer` instead, and returns whole responses.
 *
 * @example
 * export const handler = endpoint(route, async ({ id }, { headers }) => {
 *   headers['cache-control'] = 'public, max-age=60';
 *   return { id };
 * });
 */
export function endpoint<R extends RuntimeRoute>(
  route: R,
  handle: (input: InputOf<R>, dependencies: Dependencies) => Promise<DataOf<R>> | DataOf<R>,
  source: SecretSource = readSecret,
  answer: typeof envelope = envelope,
): LambdaHandler {
  const redact = async (text: string) => (await redaction()).withoutSecrets(text, route.allSecrets);
  const redactData = async (text: string) => (await redaction()).dataWithoutSecrets(text, route.allSecrets);
  const secret = async (name: string): Promise<string> => {
    // An undeclared secret would be neither deployed nor redacted from texts for callers.
    if (!route.allSecrets.includes(name))
      throw ApiError.serverConfiguration(`${route.name} does not declare ${name}`);
    return source(name);
  };

  async function declaredSecrets(): Promise<Record<string, string>> {
    const values = route.secrets.map(async (name) => [name, await source(name)] as const);
    return Object.fromEntries(await Promise.all(values));
  }

  const callHandler = async (event: APIGatewayProxyEventV2, context: Context) => {
    const { input, headers, idempotencyKey } = stateOf(event);
    // The validator used the schema from which InputOf is derived.
    return handle(input as InputOf<R>, {
      event,
      environment: environment(),
      secrets: route.secrets.length === 0 ? NO_SECRETS : await declaredSecrets(),
      secret,
      idempotencyKey,
      headers,
      payer: () => payerOf(event),
      deadline: Date.now() + (context.getRemainingTimeInMillis?.() ?? 15_000) - TIME_TO_ANSWER_MS,
    });
  };

  return middy(callHandler, { timeoutEarlyInMillis: TIME_TO_FAIL_MS, timeoutEarlyResponse })
    .use(requestMetrics({ route: route.name }))
    .use(answer({ redact, redactData }))
    .use(httpErrorHandler({ logger: false }))
    .use(errorReport({ route: route.name, redact }))
    .use(authentication(route.isPage))
    .use(rateLimit({ requestsPerMinute: route.requestsPerMinute }))
    .use(idempotencyKey(route))
    .use(validation(route)) as LambdaHandler;
}

function timeoutEarlyResponse(): never {
  throw new ApiError(504, 'The request took longer than this service allows; try again');
}
