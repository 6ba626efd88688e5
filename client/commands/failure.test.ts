import { expect, test } from 'vitest';
import { denied } from '../../shared/coordination/budget.ts';
import { limitedBy } from '../../shared/coordination/source-limits.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { rateLimit } from '../../shared/http/middleware/rate-limit.ts';
import { ApiFailure } from '../sdk/index.ts';
import { limitText, networkFault } from './failure.ts';

/** The service's own error, as its client throws it. */
function failureOf({ statusCode, message }: ApiError, headers = {}): ApiFailure {
  return new ApiFailure(statusCode, message, { isAnswer: true, headers: new Headers(headers) });
}

function overTheLimit(): ApiError {
  const event = { requestContext: { http: { sourceIp: '192.0.2.1' } } };
  // The fields that the middleware reads.
  const request = { event } as unknown as Parameters<NonNullable<ReturnType<typeof rateLimit>['before']>>[0];
  const { before } = rateLimit({ requestsPerMinute: 1 });
  try {
    before?.(request);
    before?.(request);
  } catch (error) {
    return ApiError.from(error);
  }
  throw new Error('the limit was not reached');
}

/** The firewall's words (`infra/constructs/edge-firewall.ts`). */
const limited = "Rate limit exceeded: this client's, at the firewall";
const retryAt = Date.now() + 60_000;

test.each([
  [overTheLimit(), "The limit is this client's: 1 requests per minute."],
  [
    denied({ allowed: false, retryAt, of: 'client' }),
    "The limit is this client's share of the service's requests to providers, for this hour.",
  ],
  [
    denied({ allowed: false, retryAt, of: 'service' }),
    "The limit is this service's own: its budget of requests to providers is used up for now.",
  ],
  [limitedBy('CoinPaprika', 60), "The limit is CoinPaprika's own, for all requests of this service."],
  [new ApiError(429, limited), "The limit is this client's, at the firewall."],
  [ApiError.rateLimited('the limit of the Base node', 9), 'The limit is that of the Base node.'],
])('%s', (error, text) => {
  expect(limitText(failureOf(error))).toBe(text);
});

test('a 429 without a reason is explained by its RateLimit headers', () => {
  const bare = new ApiError(429, 'Rate limit exceeded');
  const limit = { 'ratelimit-limit': '100' };
  expect(limitText(failureOf(bare, { ...limit, 'ratelimit-remaining': '0' }))).toBe(
    "The limit is this client's: 100 requests per minute.",
  );
  expect(limitText(failureOf(bare, { ...limit, 'ratelimit-remaining': '7' }))).toBeUndefined();
});

test('a 429 without an envelope is attributed to a gateway', () => {
  expect(limitText(new ApiFailure(429, 'Rate limit exceeded'))).toBe(
    'The limit is that of a gateway in front of the service.',
  );
});

/** The failure that Node's `fetch` throws. */
function unreachable(code: string, details = {}): ApiFailure {
  const cause = Object.assign(new Error(`getaddrinfo ${code}`), { code, ...details });
  return new ApiFailure(undefined, 'getaddrinfo', { cause: new TypeError('fetch failed', { cause }) });
}

const offline = (text: string) => ({ text, isOffline: true });
const down = 'this machine is offline, or its network is down';
test.each([
  ['ENETUNREACH', unreachable('ENETUNREACH'), offline(`${down} (ENETUNREACH)`)],
  ['EAI_AGAIN', unreachable('EAI_AGAIN'), offline(`${down} (EAI_AGAIN)`)],
  [
    'the first error of a name with two addresses',
    new ApiFailure(undefined, 'no', {
      cause: new AggregateError(['ENETUNREACH', 'ECONNREFUSED'].map((code) => unreachable(code))),
    }),
    offline(`${down} (ENETUNREACH)`),
  ],
  [
    'an unknown name, which may be a wrong address',
    unreachable('ENOTFOUND', { hostname: 'nosuch.example' }),
    { text: 'no machine has the name nosuch.example, or this one is offline (ENOTFOUND)', isOffline: false },
  ],
  ['ECONNREFUSED, which speaks for itself', unreachable('ECONNREFUSED'), undefined],
])('%s', (_what, failure, fault) => {
  expect(networkFault(failure)).toEqual(fault);
});

test('a front end that knows that it is offline decides the message', () => {
  expect(networkFault(new ApiFailure(undefined, 'Failed to fetch'), true)).toEqual(offline(down));
});
