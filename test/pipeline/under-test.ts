import type { TSchema } from 'typebox';
import { beforeEach, expect, vi } from 'vitest';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import type { DataOf, RuntimeRoute } from '../../shared/http/route.ts';
import { type Answer, contextOf, eventOf, type TestRequest } from './event.ts';

let clients = 0;

/** A route's handler as it is deployed, in a new container for each test of a file, which starts with the first request. */
export function underTest<R extends RuntimeRoute & { readonly response: TSchema }>(
  route: R,
  load: () => Promise<{ readonly handler: LambdaHandler }>,
) {
  const problems = compileResponse(route.response);
  let handler: LambdaHandler | undefined;
  /** The next request starts a new container. */
  const renew = () => {
    handler = undefined;
  };
  beforeEach(renew);

  async function coldStart(): Promise<LambdaHandler> {
    vi.resetModules();
    ({ handler } = await load());
    return handler;
  }

  /** Each request comes from a client of its own, unless it names one, so that none reaches the limit. */
  async function send(
    asked: TestRequest,
  ): Promise<{ status: number; headers: Answer['headers']; body: string }> {
    handler ??= await coldStart();
    clients += 1;
    const sourceIp = `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`;
    const values = asked.pathParameters ?? {};
    const path = route.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''));
    const event = eventOf({ method: route.method, path, sourceIp, ...asked });
    const { statusCode = 0, headers = {}, body = '' } = await handler(event, contextOf());
    return { status: statusCode, headers, body };
  }
  async function ask(asked: TestRequest = {}): Promise<Answer> {
    const { body, ...answer } = await send(asked);
    return { ...answer, body: JSON.parse(body) };
  }

  /** The data of an answer that has to be a 200, and to fit the schema. */
  function dataIn({ status, body }: Answer): DataOf<R> {
    expect([status, body]).toMatchObject([200, { success: true }]);
    const { data } = body as { data: DataOf<R> }; // checked right here
    expect(problems(data)).toEqual([]);
    return data;
  }
  const dataOf = async (asked: TestRequest = {}) => dataIn(await ask(asked));
  return { send, ask, dataIn, dataOf, coldStart, renew };
}
