import { describe, expect, it } from 'vitest';
import { endpoint } from '../../shared/http/endpoint.ts';
import {
  call,
  commonHeaders,
  contextOf,
  eventOf,
  failure,
  refusalHeaders,
  type TestRequest,
} from './event.ts';
import { coinsRoute, pingRoute } from './routes.ts';

const pathParameters = { chain: 'base', id: 'btc-bitcoin' };
const echo = () => endpoint(coinsRoute, (input) => input);
const ask = (asked: TestRequest) => call(echo(), { pathParameters, ...asked });

async function errorOf(asked: TestRequest): Promise<unknown> {
  const answer = await ask(asked);
  expect(answer.status).toBe(400);
  expect(answer.headers).toEqual(refusalHeaders(100));
  return answer.body;
}

describe('parameters that fit', () => {
  it('reach the handler with the types of the schema', async () => {
    const answer = await ask({ query: 'q=x&limit=5&interval=1h&active=false&share=0.25' });

    expect(answer).toEqual({
      status: 200,
      headers: commonHeaders(100),
      body: {
        success: true,
        data: { ...pathParameters, q: 'x', limit: 5, interval: '1h', active: false, share: 0.25 },
      },
    });
  });

  it('are completed by the defaults', async () => {
    const { body } = await ask({ query: 'q=x' });

    expect(body).toEqual({
      success: true,
      data: { ...pathParameters, q: 'x', limit: 30, interval: '24h' },
    });
  });

  it.each(['_=1&_=2', '__proto__=2', '%5Fcb=1'])(
    'may come with names that avoid caches, which do not reach the handler: %s',
    async (extra) => {
      const { body } = await ask({ query: `${extra}&q=x` });

      expect(body).toEqual({
        success: true,
        data: { ...pathParameters, q: 'x', limit: 30, interval: '24h' },
      });
    },
  );

  it.each([
    ['percent-encoded', 'q=a%26b%20c', 'a&b c'],
    ['with a plus for a space', 'q=a+b', 'a b'],
    ['of digits, where the schema asks for text', 'q=0123', '0123'],
  ])('are read as a text %s', async (_how, query, q) => {
    const { body } = await ask({ query });

    expect(body).toMatchObject({ data: { q } });
  });

  it.each([
    ['decoded, as API Gateway hands them on', 'xch-chia-', 'xch-chia-'],
    ['still encoded, beyond ASCII', '%E6%88%98%E6%97%97-x', '战旗-x'],
    ['decoded, beyond ASCII', '战旗-x', '战旗-x'],
    ['with a percent sign that encodes nothing', '100%-pure', '100%-pure'],
    ['with bytes that are no UTF-8', 'a%ff', 'a%ff'],
  ])('are right in the path %s', async (_how, given, id) => {
    const { body } = await ask({ query: 'q=x', pathParameters: { chain: 'base', id: given } });

    expect(body).toMatchObject({ data: { id } });
  });

  it('are read from queryStringParameters where a front end sends no rawQueryString', async () => {
    const event = { ...eventOf({ pathParameters }), queryStringParameters: { q: 'x', limit: '2' } };

    const { body } = await echo()(event, contextOf());

    expect(JSON.parse(body ?? '')).toMatchObject({ data: { q: 'x', limit: 2 } });
  });

  it('may be none at all', async () => {
    const answer = await call(
      endpoint(pingRoute, (input) => input),
      { query: '_=1', body: '{' },
    );

    expect(answer).toMatchObject({ status: 200, body: { success: true, data: {} } });
  });
});

describe('an unknown parameter', () => {
  const known = 'This route knows q, limit, interval, active, share';

  it.each([
    ['interva=7d', 'interva. Did you mean interval?'],
    ['INTERVAL=1h', 'INTERVAL. Did you mean interval?'],
    ['actvie=true', 'actvie. Did you mean active?'],
    ['constructor=3', 'constructor.'],
    ['utm_source=x', 'utm_source.'],
    ['chain=base', 'chain.'],
    ['a%0Ab=1', '"a\\nb".'],
    ['=1', '"".'],
  ])('is named, with what was probably meant and all that is known: %s', async (query, text) => {
    expect(await errorOf({ query: `q=x&${query}` })).toEqual(failure(`Unknown parameter: ${text} ${known}`));
  });

  it('comes before everything that is missing or malformed', async () => {
    expect(await errorOf({ query: 'limit=x&limt=5', pathParameters: {} })).toEqual(
      failure(`Unknown parameter: limt. Did you mean limit? ${known}`),
    );
  });
});

describe('a missing parameter', () => {
  it.each([
    ['absent', ''],
    ['blank', 'q=%20+'],
    ['repeatedly empty', 'q=&q='],
  ])('is named when it is %s', async (_how, query) => {
    expect(await errorOf({ query })).toEqual(failure('Missing parameter: q'));
  });

  it('is named when it belongs to the path', async () => {
    const body = await errorOf({ query: 'q=x', pathParameters: { chain: 'base' } });

    expect(body).toEqual(failure('Missing parameter: id'));
  });

  it('is the first by the order of the schema, and comes before everything malformed', async () => {
    expect(await errorOf({ query: 'limit=x', pathParameters: {} })).toEqual(
      failure('Missing parameter: chain'),
    );
    expect(await errorOf({ query: 'limit=x' })).toEqual(failure('Missing parameter: q'));
  });
});

describe('a malformed parameter', () => {
  const limit = 'allowed: an integer from 1 to 366';
  it.each([
    ['limit=0', `Invalid parameter limit: 0; ${limit}`],
    ['limit=367', `Invalid parameter limit: 367; ${limit}`],
    ['limit=1e2', `Invalid parameter limit: "1e2"; ${limit}`],
    ['limit=0x10', `Invalid parameter limit: "0x10"; ${limit}`],
    ['limit=', `Invalid parameter limit: ""; ${limit}`],
    ['limit=99999999999999999999', `Invalid parameter limit: "99999999999999999999"; ${limit}`],
    ['limit=5&limit=6', `Invalid parameter limit: given 2 times; allowed: once, an integer from 1 to 366`],
    ['interval=2h', 'Invalid parameter interval: "2h"; allowed: 1h, 24h'],
    ['active=yes', 'Invalid parameter active: "yes"; allowed: true, false'],
    ['share=-0.5', 'Invalid parameter share: -0.5; allowed: a number from 0'],
    ['share=NaN', 'Invalid parameter share: "NaN"; allowed: a number from 0'],
    ['q=x&q=y', 'Invalid parameter q: given 2 times; allowed: once, a text of 1 to 10 characters'],
  ])('is named with what was given and what is allowed: %s', async (query, text) => {
    const whole = query.startsWith('q=') ? query : `q=x&${query}`;

    expect(await errorOf({ query: whole })).toEqual(failure(text));
  });

  it('is cut short when what was given is long', async () => {
    const body = await errorOf({ query: `q=${'y'.repeat(5000)}` });

    expect(body).toEqual(
      failure(`Invalid parameter q: "${'y'.repeat(79)}…; allowed: a text of 1 to 10 characters`),
    );
  });

  it('comes with every other malformed one, in the order of the schema', async () => {
    const body = await errorOf({ query: 'interval=x&q=y&share=z&limit=0' });

    expect(body).toEqual(
      failure(
        'Invalid parameter limit: 0; allowed: an integer from 1 to 366; ' +
          'Invalid parameter interval: "x"; allowed: 1h, 24h; ' +
          'Invalid parameter share: "z"; allowed: a number from 0',
      ),
    );
  });
});
