/** The handlers of routes and jobs: the same code that Lambda runs, in this process. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { LambdaHandler } from '../shared/http/endpoint.ts';
import { messageOf } from '../shared/platform/message-of.ts';

const handlers = new Map<string, Promise<LambdaHandler>>();

/** Loads the handler of a route at its first request. */
export function handlerOf(name: string): Promise<LambdaHandler> {
  const known = handlers.get(name);
  if (known) return known;
  const loading = imported(name).catch((error: unknown) => {
    handlers.delete(name);
    throw error;
  });
  handlers.set(name, loading);
  return loading;
}

async function imported(path: string): Promise<LambdaHandler> {
  const { handler } = (await import(`../functions/${path}/handler.ts`)) as {
    readonly handler: LambdaHandler;
  };
  return handler;
}

/** Runs a job once. Throws what it throws. */
export async function runJob(name: string): Promise<unknown> {
  const run = (await imported(name.replace('/', '/jobs/'))) as unknown as () => Promise<unknown>; // a scheduled handler
  return run();
}

/** The context of an event, whose time ends at the deadline (ms since the epoch). */
export function contextUntil(name: string, deadline: number): Context {
  return {
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: '',
    memoryLimitInMB: '0',
    awsRequestId: crypto.randomUUID(),
    logGroupName: '',
    logStreamName: '',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

interface Limits {
  readonly timeoutMs: number;
  readonly log: (line: string) => void;
  readonly load?: typeof handlerOf;
}

/** Answers an event: its handler's result, a 504 at the time limit, or a 500 if the handler fails. */
export async function answerEvent(
  name: string,
  event: APIGatewayProxyEventV2,
  { timeoutMs, log, load = handlerOf }: Limits,
): Promise<unknown> {
  const deadline = Date.now() + timeoutMs;
  const answering = load(name).then((handler) => handler(event, contextUntil(name, deadline)));
  const { promise: late, resolve } = Promise.withResolvers<APIGatewayProxyStructuredResultV2>();
  const timer = setTimeout(
    () => resolve(failure(504, `The service did not answer within ${timeoutMs / 1000} seconds`)),
    timeoutMs,
  );
  try {
    return await Promise.race([answering, late]);
  } catch (error) {
    log(`${name} failed: ${messageOf(error)}`);
    return failure(500, 'The service failed');
  } finally {
    clearTimeout(timer);
  }
}

function failure(statusCode: number, error: string): APIGatewayProxyStructuredResultV2 {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { statusCode, headers, body: JSON.stringify({ success: false, error }) };
}
