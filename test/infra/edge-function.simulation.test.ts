/** The CloudFront function of all requests to the API, run as the template has it. */
import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { transform } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { pageTemplateOf } from './synthesized.ts';

const [{ Properties } = { Properties: {} }, ...others] = Object.values(
  pageTemplateOf('prod').findResources('AWS::CloudFront::Function'),
);
const { FunctionCode: code, FunctionConfig, AutoPublish } = Properties;
const digestOf = (key: string) => createHash('sha256').update(key).digest('hex');
/** The content of the store at the edge. */
const known = { [digestOf('mdk_alice')]: 'alice;60;', [digestOf('mdk_bob')]: 'bob;;4102444800000' };

interface Viewed {
  readonly method?: string;
  readonly uri?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stored?: Readonly<Record<string, string>>;
}

/** Runs the function with its two modules only. */
async function atTheEdge({
  method = 'GET',
  uri = '/api/x',
  query = '',
  headers = {},
  stored = known,
}: Viewed): Promise<{ querystring: string; headers: Record<string, string> }> {
  // docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html
  const querystring: Record<string, { value: string; multiValue?: { value: string }[] }> = {};
  for (const [name = '', value = ''] of query.split('&').map((pair) => pair.split('='))) {
    const earlier = querystring[name];
    if (query === '') continue;
    if (!earlier) querystring[name] = { value };
    else earlier.multiValue = [...(earlier.multiValue ?? [{ value: earlier.value }]), { value }];
  }
  const valued = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { value }]));
  const request = { method, uri, querystring, headers: valued, cookies: {} };
  const get = async (key: string) => {
    if (!Object.hasOwn(stored, key)) throw new Error('KeyNotFound');
    return stored[key];
  };
  const answer = await runInNewContext(
    `${code.replace("import cf from 'cloudfront';", '')}\nhandler(event)`,
    {
      cf: { kvs: () => ({ get }) },
      require: (name: string) => (name === 'crypto' ? { createHash } : undefined),
      event: { version: '1.0', request },
    },
  );
  const sent = Object.entries<{ value: string }>(answer.headers).map(([name, { value }]) => [name, value]);
  return { querystring: answer.querystring, headers: Object.fromEntries(sent) };
}

test('there is one function at the edge, published, in the syntax of its runtime', async () => {
  // docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-javascript-runtime-20.html
  const supported = { arrow: true, 'async-await': true, 'const-and-let': true, 'template-literal': true };
  const inRuntime = (text: string) => transform(text, { target: 'es5', supported, logLevel: 'silent' });

  expect([others, FunctionConfig.Runtime, AutoPublish]).toEqual([[], 'cloudfront-js-2.0', true]);
  expect(FunctionConfig.KeyValueStoreAssociations).toHaveLength(1);
  await expect(inRuntime(code)).resolves.toHaveProperty('code');
  await expect(inRuntime('f(({ value }) => value);')).rejects.toThrow(/destructuring/);
  await expect(inRuntime('for (const a of b) f(a);')).rejects.toThrow(/for-of/);
  expect(code.length).toBeLessThan(10_240);
});

describe('the client of a request', () => {
  const named = (client: string) => ({ 'x-client-class': 'named', 'x-client': `name ${client}` });
  /** A key that is passed on, for a cache of its own. */
  const ofKey = (key: string) => ({ 'x-client-class': digestOf(key), 'x-client': `key ${key}` });
  const expired = { [digestOf('mdk_alice')]: 'alice;60;1767225600000' };

  test.each<[string, Viewed['headers'], Viewed['stored'], Record<string, string>]>([
    ['named by x-api-key', { 'x-api-key': 'mdk_alice' }, known, named('alice;60;')],
    ['named by a bearer', { authorization: 'Bearer mdk_alice' }, known, named('alice;60;')],
    ['named by a demo key', { 'x-cg-demo-api-key': 'mdk_alice' }, known, named('alice;60;')],
    ['named by a pro key', { 'x-cg-pro-api-key': 'mdk_bob' }, known, named('bob;;4102444800000')],
    ['unknown or revoked', { 'x-api-key': 'mdk_alice' }, {}, ofKey('mdk_alice')],
    ['expired', { 'x-api-key': 'mdk_alice' }, expired, ofKey('mdk_alice')],
    ['the application', { 'x-api-key': 'secret' }, known, ofKey('secret')],
    [
      'claimed in headers, which counts for nothing',
      { 'x-client': 'name alice;60;', 'x-client-class': 'named' },
      known,
      ofKey(''),
    ],
  ])(
    'is forwarded by name instead of its key, otherwise by its key: %s',
    async (_which, headers = {}, stored = {}, sent) => {
      expect((await atTheEdge({ headers, stored })).headers).toEqual(sent);
    },
  );

  test.each(['key', 'x_cg_demo_api_key', 'x_cg_pro_api_key', '%6Bey'])(
    'is named by %s in queries for spreadsheets only',
    async (name) => {
      const query = `b=2&${name}=mdk%5Falice&a=1`;
      for (const uri of ['/coingecko/api/v3/ping', '/export/prices.csv'])
        expect(await atTheEdge({ uri, query })).toEqual({
          querystring: 'a=1&b=2',
          headers: named('alice;60;'),
        });
      for (const other of [{ uri: '/api/x' }, { uri: '/udf/config' }, { uri: '/export/x', method: 'POST' }]) {
        const { querystring, headers } = await atTheEdge({ ...other, query });
        expect([querystring.includes(name), headers['x-client']]).toEqual([true, 'key ']);
      }
    },
  );

  test.each(['mdk_alice%0d%0Ax-client: name bob', '%ff', 'k'.repeat(513)])(
    'has no key in %j',
    async (key) => {
      expect((await atTheEdge({ uri: '/export/x', query: `key=${key}` })).headers['x-client']).toBe('key ');
    },
  );
});

test.each([
  ['limit=5&interval=7d', 'interval=7d&limit=5'],
  ['interval=7d&limit=5', 'interval=7d&limit=5'],
  ['_=1767225600000&interval=7d&_cb=2&_=3&%5Fcb=4', 'interval=7d'],
  ['interva=7d', 'interva=7d'],
  ['q=b&limit=5&q=a', 'limit=5&q=a&q=b'],
  ['ids=btc-bitcoin%2Ceth-ethereum&q=a%26b+c', 'ids=btc-bitcoin%2Ceth-ethereum&q=a%26b+c'],
  ['q=', 'q='],
  ['', ''],
])('the query ?%s is cached as ?%s', async (query, key) => {
  expect((await atTheEdge({ uri: '/api/marketdata/search', query })).querystring).toBe(key);
});
