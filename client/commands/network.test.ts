import { expect, test } from 'vitest';
import { ApiFailure } from '../sdk/index.ts';
import { networkFault } from './failure.ts';

/** As `fetch` of Node fails. */
function failureOf(code: string, details = {}): ApiFailure {
  const cause = Object.assign(new Error(`getaddrinfo ${code}`), { code, ...details });
  return new ApiFailure(undefined, 'getaddrinfo', { cause: new TypeError('fetch failed', { cause }) });
}

test.each(['ENETUNREACH', 'ENETDOWN', 'EAI_AGAIN'])('%s is a machine without a network', (code) => {
  expect(networkFault(failureOf(code))).toEqual({
    text: `this machine is offline, or its network is down (${code})`,
    isOffline: true,
  });
});

test('of a name with two addresses the first error counts', () => {
  const errors = ['ENETUNREACH', 'ECONNREFUSED'].map((code) => failureOf(code));
  const cause = new AggregateError(errors);
  expect(networkFault(new ApiFailure(undefined, 'no', { cause }))).toMatchObject({ isOffline: true });
});

test('an unknown name may be a wrong address, or a machine without a network', () => {
  expect(networkFault(failureOf('ENOTFOUND', { hostname: 'nosuch.example' }))).toEqual({
    text: 'no machine has the name nosuch.example, or this one is offline (ENOTFOUND)',
    isOffline: false,
  });
});

test('a front end that knows that it is offline is believed', () => {
  expect(networkFault(new ApiFailure(undefined, 'Failed to fetch'), true)).toEqual({
    text: 'this machine is offline, or its network is down',
    isOffline: true,
  });
});

test.each(['ECONNREFUSED', 'ECONNRESET'])('%s speaks for itself', (code) => {
  expect(networkFault(failureOf(code))).toBeUndefined();
});
