import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { builtPage } from '../../http-api/page.ts';
import { pageHeaders } from '../../shared/http/page.ts';
import { type ClientService, startService } from '../client/service.ts';
import { connectBrowser } from './browser-test.ts';
import { openPage, untilDrawn } from './open-page.ts';

// A browser beside seven processes on a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

const KEY = 'client-key-0123456789';
const MAX_SCRIPT_BYTES = 60_000;

const files = readdirSync(builtPage, { recursive: true, encoding: 'utf8' });
/** The scripts without the API reference, which is a page of its own. */
const scripts = files.filter((file) => file.endsWith('.js') && !/docs-[^/]+$/.test(file));
const read = (file: string) => readFileSync(join(builtPage, file), 'utf8');

describe('the built page', () => {
  test('loads less than 60 KB of compressed script for its first screen, for its first chart, and for its first command', () => {
    const sizes = scripts.map((file) => gzipSync(read(file)).length);
    expect(scripts).toHaveLength(3);
    for (const size of sizes) expect(size).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  test('has no schema compiler in its script, and no script and no style in its markup', () => {
    for (const file of scripts) expect(read(file)).not.toMatch(/typebox|TypeBox|ajv|additionalProperties/);
    const markup = read('index.html');
    expect(markup).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/);
    expect(markup).not.toMatch(/<script(?![^>]*\ssrc=)/);
  });

  test('names the makers of the charts, with their address and the licences', () => {
    const script = files
      .filter((file) => /index-.*\.js$/.test(file))
      .map(read)
      .join();
    expect(script).toMatch(/TradingView[\s\S]*https:\/\/www\.tradingview\.com\//);
    expect(read('licenses.md')).toContain('lightweight-charts');
    expect(read('licenses.md')).toContain('Apache License');
  });
});

describe('the page of the local service', () => {
  let service: ClientService;
  const asBrowser = (path: string) =>
    fetch(`${service.url}${path}`, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  const titleOf = async (page: Response) => /<title>(.*?)<\/title>/.exec(await page.text())?.[1];
  let browser: Browser;
  beforeAll(async () => {
    const env = { NODE_ENV: 'production', CLIENT_API_KEY: KEY };
    [service, browser] = await Promise.all([startService({ env }), connectBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('comes with a strict policy, and the files named by their content may be kept for ever', async () => {
    const page = await fetch(`${service.url}/`);
    expect(page.status).toBe(200);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self'; style-src 'self'; /,
      ),
    });
    expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe|\*|https?:/);

    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1];
    const asset = await fetch(`${service.url}${script}`);
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('has no other method than GET and HEAD, and compresses', async () => {
    const [head, post, unknown] = await Promise.all([
      fetch(`${service.url}/`, { method: 'HEAD' }),
      fetch(`${service.url}/`, { method: 'POST' }),
      fetch(`${service.url}/assets/nothing.js`),
    ]);
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect([post.status, unknown.status]).toEqual([401, 404]);
    const headers = { 'accept-encoding': 'gzip, deflate, br', 'x-api-key': KEY };
    for (const path of ['/', '/api/marketdata/search?q=bit&limit=50']) {
      const response = await fetch(`${service.url}${path}`, { headers });
      expect(response.headers.get('content-encoding')).toBe('br');
      expect((await response.text()).length).toBeGreaterThan(1000);
    }
  });

  test('has public HTML with a title of its own for each coin, for previews too', async () => {
    const [bitcoin, preview, head] = await Promise.all([
      asBrowser('/coins/btc-bitcoin?utm_source=x'),
      fetch(`${service.url}/coins/btc%2Dbitcoin`),
      fetch(`${service.url}/coins/btc-bitcoin`, { method: 'HEAD' }),
    ]);
    const expected = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': expect.stringMatching(/^public, max-age=600,/),
      ...pageHeaders,
    };
    const html = await bitcoin.text();
    expect(html).toContain('<title>Bitcoin (BTC) price and chart · Tickline</title>');
    expect(html).toContain('<meta property="og:title" content="Bitcoin (BTC) price and chart · Tickline" />');
    expect(html).toMatch(/src="\/assets\/[^"]+\.js"/);
    expect([await preview.text(), await head.text()]).toEqual([html, '']);
    for (const { headers } of [bitcoin, preview, head])
      expect(Object.fromEntries(headers)).toMatchObject(expected);
  });

  test.each(['战旗-战旗', 'toto-totoro-inu-?', '-doggotothemoon'])(
    'has the HTML of the odd id %s, percent-encoded or as browsers send it',
    async (id) => {
      const [encoded, asTyped] = await Promise.all([
        asBrowser(`/coins/${encodeURIComponent(id)}`),
        asBrowser(`/coins/${encodeURI(id).replace('?', '%3f')}/`),
      ]);
      expect([encoded.status, asTyped.status]).toEqual([200, 200]);
      const title = await titleOf(encoded);
      expect(title).toMatch(/ price and chart · Tickline$/);
      expect(await titleOf(asTyped)).toBe(title);
    },
  );

  test.each(['/coins/no-such-coin', '/coins/%E0%A4%A', '/nothing'])(
    'has HTML for a browser at %s, which does not exist, an envelope for others, and none of both on HEAD',
    async (path) => {
      const [page, other, head] = await Promise.all([
        asBrowser(path),
        fetch(service.url + path, { headers: { accept: 'application/json' } }),
        fetch(service.url + path, { method: 'HEAD' }),
      ]);
      expect(Object.fromEntries(page.headers)).toMatchObject(pageHeaders);
      expect(await titleOf(page)).toBe('Not found · Tickline');
      expect(await other.json()).toMatchObject({ success: false });
      expect(await head.text()).toBe('');
      for (const { status, headers } of [page, other, head])
        expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
    },
  );

  test('leaves the paths of the API to the API, which requires the key of a browser too', async () => {
    const withKey = { headers: { accept: 'text/html', 'x-api-key': KEY } };
    const responses = await Promise.all([
      asBrowser('/api/nothing'),
      fetch(`${service.url}/coingecko/api/v3/nothing`, withKey),
      fetch(`${service.url}/api/nothing`, withKey),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([401, 404, 404]);
    for (const { headers } of responses) expect(headers.get('content-type')).toMatch(/^application\/json/);
    const description = await fetch(`${service.url}/openapi.json`);
    expect(description.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await description.json()).toMatchObject({ openapi: '3.1.0' });
  });

  test('asks for the key once, keeps it only in the tab, and retries failed requests', async () => {
    const { page, cards, command, log, problems, close } = await openPage(browser, service.url, {
      path: '/#BTC',
    });
    await page.getByText('This service needs an API key.').waitFor();
    await command('cprice BTC');
    await log.getByText('Unauthorized: the service requires an API key. Set it in the settings.').waitFor();
    await log.getByRole('button', { name: 'settings' }).click();
    const field = page.getByLabel('API key of the service');
    await field.fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('This service does not accept the API key in the settings.').waitFor();
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await field.fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await untilDrawn(cards); // by itself
    expect(
      await page.evaluate(() => [JSON.stringify({ ...sessionStorage }), JSON.stringify({ ...localStorage })]),
    ).toEqual([expect.stringContaining(KEY), expect.not.stringContaining(KEY)]);
    expect(problems).toEqual([]);
    await close();
  });
});
