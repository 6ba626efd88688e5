import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalFor } from './refusal.ts';

const routes = [
  { method: 'GET', path: '/api/coins' },
  { method: 'GET', path: '/api/coins/{id}' },
  { method: 'POST', path: '/api/coins/{id}' },
  { method: 'POST', path: '/api/{chain}/rpc/{network}' },
  { method: 'GET', path: '/export/{path+}' },
  { method: 'ANY', path: '$default' },
];

const refused = (method: string, path: string) => {
  const { statusCode, message, headers } = refusalFor(routes, method, path);
  return { statusCode, message, headers };
};

describe('the refusal', () => {
  it('allows every method that the path has', () => {
    expect(refused('PUT', '/api/coins/x')).toEqual({
      statusCode: 405,
      message: 'Method not allowed: PUT /api/coins/x; allowed: GET, HEAD, POST',
      headers: { allow: 'GET, HEAD, POST' },
    });
  });

  it('is a 404 for a route of the table that this stage is deployed without', () => {
    expect(refused('POST', '/api/base/rpc/one')).toEqual({
      statusCode: 404,
      message: 'No such route: POST /api/base/rpc/one',
      headers: {},
    });
  });

  it.each([
    ['GET', '/api/base/rpc/'],
    ['POST', '/api//rpc/'],
    ['GET', ''],
    ['GET', '$default'],
    ['GET', '/api/coins/a/b'],
    ['GET', '/export'],
    ['GET', '/export/'],
  ])('is a 404 where only another route lacks something, or none: %s %j', (method, path) => {
    expect(refused(method, path)).toEqual({
      statusCode: 404,
      message: `No such route: ${method} ${path}`,
      headers: {},
    });
  });

  it('shows no more than the beginning of a long path', () => {
    expect(refused('GET', `/${'x'.repeat(5000)}`).message).toBe(`No such route: GET /${'x'.repeat(199)}…`);
  });

  it('is one of the three for any path', () => {
    const path = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webSegment());
    fc.assert(
      fc.property(fc.constantFrom('GET', 'POST', 'TRACE'), path, (method, path) => {
        expect([400, 404, 405]).toContain(refused(method, path).statusCode);
      }),
    );
  });
});
