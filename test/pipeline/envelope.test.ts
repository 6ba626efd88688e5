import { afterEach, describe, expect, it, vi } from 'vitest';
import { endpoint } from '../../shared/http/endpoint.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { call, commonHeaders, contextOf, endingIn, eventOf, failure, refusalHeaders } from './event.ts';
import { pingRoute } from './routes.ts';

afterEach(() => vi.unstubAllEnvs());

const throwing = (thrown: unknown) =>
  endpoint(pingRoute, () => {
    throw thrown;
  });

describe('the envelope of a success', () => {
  it('carries the data of the handler, the common headers, and no cache-control of its own', async () => {
    const handler = endpoint(pingRoute, async () => ({ pong: [1, null, 'x'] }));

    const answer = await call(handler);

    expect(answer).toEqual({
      status: 200,
      headers: commonHeaders(100),
      body: { success: true, data: { pong: [1, null, 'x'] } },
    });
  });

  it.each([
    ['a success', endpoint(pingRoute, () => 'pong')],
    ['a failure', throwing(new ApiError(503, 'No snapshot'))],
  ])('is left out of the answer to a HEAD, which has the headers of the GET: %s', async (_what, handler) => {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method, index) =>
        handler(eventOf({ method, sourceIp: `192.0.2.${index}` }), contextOf()),
      ),
    );

    expect(get?.body).not.toBe('');
    expect(head).toEqual({ ...get, body: '' });
  });
});

describe('the envelope of a failure', () => {
  it.each([
    ['an Error', new Error('The pool is empty'), 500, 'The pool is empty'],
    ['an Error of another class', new RangeError('too far'), 500, 'too far'],
    ['an Error without a message', new Error(''), 500, 'Internal server error'],
    ['a string', 'a string', 500, 'Internal server error'],
    ['undefined', undefined, 500, 'Internal server error'],
    ['null', null, 500, 'Internal server error'],
    ['an object', { statusCode: 418, message: 'teapot' }, 500, 'Internal server error'],
    ['an Error with a status', Object.assign(new Error('gone'), { statusCode: 410 }), 500, 'gone'],
    ['an Error with a text like JSON', new Error('{"a":1}'), 500, '{"a":1}'],
    ['an ApiError of 404', ApiError.notFound('Unknown coin id: x'), 404, 'Unknown coin id: x'],
    ['an ApiError of 502', new ApiError(502, 'CoinPaprika answered 503'), 502, 'CoinPaprika answered 503'],
    ['an ApiError of 504', new ApiError(504, 'CoinPaprika timed out'), 504, 'CoinPaprika timed out'],
  ])('reports %s that the handler throws', async (_what, thrown, status, text) => {
    const answer = await call(throwing(thrown));

    expect(answer).toEqual({ status, headers: refusalHeaders(100), body: failure(text) });
  });

  it('carries the headers of an ApiError', async () => {
    const answer = await call(throwing(ApiError.rateLimited('yours', 6.2)));

    expect(answer).toEqual({
      status: 429,
      headers: { ...refusalHeaders(100), 'retry-after': '7' },
      body: failure('Rate limit exceeded: yours; try again in 7 s'),
    });
  });

  it('is never cached, whatever the handler had set before it failed', async () => {
    const handler = endpoint(pingRoute, (_input, { headers }) => {
      headers['cache-control'] = 'public, max-age=60';
      throw new Error('late');
    });

    const answer = await call(handler);

    expect(answer.headers).toEqual(refusalHeaders(100));
  });

  it('reports data that JSON cannot hold', async () => {
    const answer = await call(endpoint(pingRoute, () => 10n));

    expect(answer).toEqual({
      status: 500,
      headers: refusalHeaders(100),
      body: failure('Do not know how to serialize a BigInt'),
    });
  });

  describe('when the function runs out of time', () => {
    const hanging = () =>
      endpoint(pingRoute, (_input, { headers }) => {
        headers['x-data-source'] = 'simulated';
        return new Promise(() => {});
      });
    const outOfTime = {
      status: 504,
      headers: { ...refusalHeaders(100), 'x-data-source': 'simulated' },
      body: failure('The request took longer than this service allows; try again'),
    };

    it('is a 504 with all headers, which leaves the runtime time to send it', async () => {
      const context = endingIn(400);
      const answer = await call(hanging(), {}, context);
      expect(answer).toEqual(outOfTime);
      expect(context.getRemainingTimeInMillis()).toBeGreaterThan(150);
    });

    it('is its own answer if the handler ends by its deadline', async () => {
      const patient = endpoint(pingRoute, async (_input, { deadline }) => {
        await new Promise((resolve) => setTimeout(resolve, deadline - Date.now()));
        throw new ApiError(504, 'CoinPaprika did not answer in time');
      });
      expect(await call(patient, {}, endingIn(700))).toMatchObject({
        body: failure('CoinPaprika did not answer in time'),
      });
    });

    it('is a 504 at once if too little time is left from the beginning', async () => {
      expect(await call(hanging(), {}, endingIn(30))).toEqual(outOfTime);
    });
  });
});

describe('one request and the next', () => {
  it('share no headers, not even with the same event object', async () => {
    let calls = 0;
    const handler = endpoint(pingRoute, (_input, { headers }) => {
      calls += 1;
      headers[`x-call-${calls}`] = 'yes';
      return calls;
    });
    const event = eventOf({});

    await handler(event, contextOf());
    const second = await handler(event, contextOf());

    expect(second.headers).toEqual({ ...commonHeaders(100, 98), 'x-call-2': 'yes' });
  });

  it('answers an event without anything in it', async () => {
    const handler = endpoint(pingRoute, () => 'pong');

    // Not an event of API Gateway: what a test invocation from the console sends.
    const answer = await handler({} as Parameters<typeof handler>[0], contextOf());

    expect(answer.statusCode).toBe(200);
  });
});
