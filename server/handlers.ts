/** The handlers of routes and jobs: the same code that Lambda runs, in this process. */
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { LambdaHandler } from '../shared/http/endpoint.ts';

const handlers = new Map<string, Promise<LambdaHandler>>();

/** Loads the handler of a route at its first request. */
export function handlerOf(name: string): Promise<LambdaHandler> {
  const known = handlers.get(name);
  if (known) return known;
  const loading = load(name).catch((error: unknown) => {
    handlers.delete(name);
    throw error;
  });
  handlers.set(name, loading);
  return loading;
}

async function load(path: string): Promise<LambdaHandler> {
  const { handler } = (await import(`../functions/${path}/handler.ts`)) as {
    readonly handler: LambdaHandler;
  };
  return handler;
}

/** Runs a job once. Throws what it throws. */
export async function runJob(name: string): Promise<unknown> {
  const run = (await load(name.replace('/', '/jobs/'))) as unknown as () => Promise<unknown>; // a scheduled handler
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

/** Answers an event within its time limit: the JSON of the handler's result, or undefined if the time is over. */
export async function answerEvent(
  name: string,
  event: string,
  timeoutMs: number,
): Promise<string | undefined> {
  const deadline = Date.now() + timeoutMs;
  const answering = handlerOf(name).then((handler) =>
    handler(JSON.parse(event) as APIGatewayProxyEventV2, contextUntil(name, deadline)),
  );
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), timeoutMs);
  try {
    const result = await Promise.race([answering, late]);
    return result && JSON.stringify(result);
  } finally {
    clearTimeout(timer);
  }
}
