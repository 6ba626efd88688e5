import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageHeaders } from '../../shared/http/page.ts';
import { type ClientService, startService } from '../client/service.ts';

const KEY = 'page-key-0123456789';
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let service: ClientService;
const get = (path: string, init: RequestInit = {}) =>
  fetch(`${service.url}${path}`, { headers: browser, ...init });
const titleOf = async (answer: Response) => /<title>(.*?)<\/title>/.exec(await answer.text())?.[1];

beforeAll(async () => {
  service = await startService({ env: { NODE_ENV: 'production', CLIENT_API_KEY: KEY } });
});
afterAll(() => service?.close());

describe('the page of a coin', () => {
  test.each(['战旗-战旗', 'toto-totoro-inu-?', '-doggotothemoon', 'xch-chia-'])(
    'exists for the id %s, percent-encoded or as browsers send it',
    async (id) => {
      const [encoded, asTyped] = await Promise.all([
        get(`/coins/${encodeURIComponent(id)}`),
        get(`/coins/${encodeURI(id).replace('?', '%3f')}/`),
      ]);
      expect([encoded.status, asTyped.status]).toEqual([200, 200]);
      const title = await titleOf(encoded);
      expect(title).toMatch(/ price and chart · Tickline$/);
      expect(await titleOf(asTyped)).toBe(title);
    },
  );

  test('has the same for whoever previews a link, and on HEAD the headers alone', async () => {
    const page = await get('/coins/btc-bitcoin');
    const html = await page.text();
    const preview = await get('/coins/btc-bitcoin', { headers: { accept: '*/*' } });
    expect(await preview.text()).toBe(html);

    const head = await get('/coins/btc-bitcoin', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of [...Object.keys(pageHeaders), 'content-type', 'cache-control'])
      expect([name, head.headers.get(name)]).toEqual([name, page.headers.get(name)]);
  });

  test('and every other HTML has the headers of the page’s files', async () => {
    for (const path of ['/', '/coins/btc-bitcoin', '/coins/nothing', '/nothing']) {
      const { headers } = await get(path);
      expect(Object.fromEntries(headers)).toMatchObject(pageHeaders);
    }
  });
});

describe('a path that does not exist', () => {
  test('is a 404 that nobody keeps: HTML for a browser, the envelope for others, none of both for HEAD', async () => {
    const page = await get('/coins/nothing');
    expect(await titleOf(page)).toBe('Not found · Tickline');
    const other = await get('/coins/nothing', { headers: { accept: 'application/json' } });
    expect(await other.json()).toEqual({ success: false, error: 'No such page or route: /coins/nothing' });
    const head = await get('/coins/nothing', { method: 'HEAD' });
    expect(await head.text()).toBe('');
    for (const { status, headers } of [page, other, head])
      expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
  });

  test('below /api is the API’s, which asks for the key first', async () => {
    const answers = await Promise.all([
      get('/api/nothing'),
      get('/api/nothing', { headers: { ...browser, 'x-api-key': KEY } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 404]);
    for (const answer of answers) expect(await answer.json()).toMatchObject({ success: false });
  });
});
