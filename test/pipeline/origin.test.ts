import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoint } from '../../shared/http/endpoint.ts';
import { call, failure, refusalHeaders } from './event.ts';
import { pingRoute } from './routes.ts';

const SECRET = 'only-the-distribution-knows';
const handler = () => endpoint(pingRoute, () => 'pong');
const through = (viewer: string, secret = SECRET) => ({
  'x-origin-secret': secret,
  'cloudfront-viewer-address': viewer,
});

afterEach(() => vi.unstubAllEnvs());

describe('an API behind a distribution', () => {
  beforeEach(() => vi.stubEnv('ORIGIN_SECRET', SECRET));

  it.each<[string, Record<string, string>]>([
    ['without the secret', {}],
    ['with an empty one', { 'x-origin-secret': '' }],
    ['with a wrong one', { 'x-origin-secret': 'only-the-distribution-know' }],
    ['with it twice', { 'x-origin-secret': `${SECRET},${SECRET}` }],
    ['with it under two spellings', { 'x-origin-secret': SECRET, 'X-Origin-Secret': SECRET }],
    ['that only claims an address', { 'cloudfront-viewer-address': '203.0.113.7:443' }],
  ])('refuses a request %s', async (_how, headers) => {
    expect(await call(handler(), { headers })).toEqual({
      status: 403,
      headers: refusalHeaders(100, 100),
      body: failure('Forbidden'),
    });
  });

  it('leaves it to the distribution for which keys it stores a response', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('CLIENT_API_KEY', 'key');
    const headers = { ...through('203.0.113.7:443'), 'x-client': 'key key' };
    const answer = await call(handler(), { headers });
    expect([answer.status, answer.headers.vary]).toEqual([200, undefined]);
  });

  it('accepts either secret while one replaces the other', async () => {
    vi.stubEnv('ORIGIN_SECRET_ALTERNATE', 'alternate');
    for (const secret of [SECRET, 'alternate'])
      expect(await call(handler(), { headers: through('203.0.113.7:443', secret) })).toMatchObject({
        status: 200,
      });
  });

  it('serves a page to any caller, and trusts an address only beside the secret', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('CLIENT_API_KEY', 'key');
    const page = endpoint({ ...pingRoute, isPage: true }, () => 'pong');
    const remaining = [];
    for (const headers of [
      {},
      { ...through('203.0.113.7:443', 'wrong') },
      through('203.0.113.7:443'),
      through('203.0.113.7:444'),
    ]) {
      const answer = await call(page, { headers });
      expect(answer.status).toBe(200);
      remaining.push(answer.headers['ratelimit-remaining']);
    }
    expect(remaining).toEqual(['99', '98', '99', '98']);
  });

  it.each([
    ['IPv4', '203.0.113.7:46532', '203.0.113.7:1', '203.0.113.8:46532'],
    ['IPv6', '2001:db8:1:2:3:4:5:6:46532', '2001:db8:1:2:9:9:9:9:1', '2001:db8:1:3:3:4:5:6:46532'],
    ['IPv6 in brackets', '[2001:db8:1:2::6]:46532', '[2001:db8:1:2::7]:1', '[2001:db8:1:3::6]:46532'],
  ])('counts by the address that the distribution saw: %s', async (_family, viewer, same, other) => {
    const wrapped = handler();
    const remaining = async (address: string) => {
      const { headers } = await call(wrapped, { headers: through(address), sourceIp: '192.0.2.1' });
      return headers['ratelimit-remaining'];
    };

    expect(await remaining(viewer)).toBe('99');
    expect(await remaining(same)).toBe('98');
    expect(await remaining(other)).toBe('99');
  });

  it.each(['', 'nonsense', '203.0.113.7'])(
    'counts by the gateway’s address where the distribution says %j',
    async (viewer) => {
      const wrapped = handler();
      await call(wrapped, { headers: through(viewer), sourceIp: '192.0.2.1' });

      const { headers } = await call(wrapped, { headers: through(viewer), sourceIp: '192.0.2.1' });
      expect(headers['ratelimit-remaining']).toBe('98');
    },
  );
});

describe('an API without a distribution', () => {
  it.each([undefined, ''])('trusts no header about the caller: ORIGIN_SECRET=%j', async (unset) => {
    vi.stubEnv('ORIGIN_SECRET', unset);
    vi.stubEnv('ORIGIN_SECRET_ALTERNATE', 'alternate');
    const wrapped = handler();

    for (const [n, secret] of [SECRET, 'alternate', ''].entries()) {
      const headers = through(`203.0.113.${n}:1`, secret);
      const { status, headers: answered } = await call(wrapped, { headers, sourceIp: '192.0.2.1' });
      expect([status, answered['ratelimit-remaining']]).toEqual([200, String(99 - n)]);
    }
  });
});
