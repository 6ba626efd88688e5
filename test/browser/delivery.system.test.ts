import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { builtPage } from '../../local/page.ts';
import { type ClientService, startService } from '../client/service.ts';
import { connectBrowser } from './browser-test.ts';
import { openPage, untilDrawn } from './open-page.ts';

// A browser beside seven processes on a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

const KEY = 'client-key-0123456789';
const MAX_SCRIPT_BYTES = 60_000;

const files = readdirSync(builtPage, { recursive: true, encoding: 'utf8' });
/** Without the API reference, which is a page of its own. */
const scripts = files.filter((file) => file.endsWith('.js') && !/docs-[^/]+$/.test(file));
const read = (file: string) => readFileSync(join(builtPage, file), 'utf8');

describe('the built page', () => {
  test('loads less than 60 KB of compressed script for its first screen, for its first chart, and for its first command', () => {
    const sizes = scripts.map((file) => gzipSync(read(file)).length);
    expect(scripts).toHaveLength(3);
    for (const size of sizes) expect(size).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  test('has no schema compiler in its script', () => {
    for (const file of scripts) {
      expect(read(file)).not.toMatch(/typebox|TypeBox|ajv|additionalProperties/);
    }
  });

  test('has no script and no style in its markup', () => {
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

  test('takes no path from the API, and no other method than GET and HEAD', async () => {
    const [head, post, api, unknown] = await Promise.all([
      fetch(`${service.url}/`, { method: 'HEAD' }),
      fetch(`${service.url}/`, { method: 'POST' }),
      fetch(`${service.url}/api/marketdata/ticker/btc-bitcoin`),
      fetch(`${service.url}/assets/nothing.js`),
    ]);
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect([post.status, api.status, unknown.status]).toEqual([401, 401, 404]);
  });

  test('has HTML with a title of its own for each coin, which anybody may read', async () => {
    const [bitcoin, percentEncoded, withQuery] = await Promise.all(
      ['/coins/btc-bitcoin', '/coins/btc%2Dbitcoin', '/coins/btc-bitcoin?utm_source=x'].map(asBrowser),
    );
    expect(Object.fromEntries(bitcoin?.headers ?? [])).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': expect.stringMatching(/^public, max-age=600,/),
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self'; /),
    });
    const html = await bitcoin?.text();
    expect(html).toContain('<title>Bitcoin (BTC) price and chart · Tickline</title>');
    expect(html).toContain('<meta property="og:title" content="Bitcoin (BTC) price and chart · Tickline" />');
    expect(html).toMatch(/src="\/assets\/[^"]+\.js"/);
    expect([await percentEncoded?.text(), await withQuery?.text()]).toEqual([html, html]);
  });

  test.each(['/coins/no-such-coin', '/coins/%E0%A4%A', '/coins/a/b', '/nothing'])(
    'has HTML for a browser that asks for %s, which does not exist, and an envelope for others',
    async (path) => {
      const page = await asBrowser(path);
      expect([page.status, page.headers.get('cache-control')]).toEqual([404, 'no-store']);
      expect(await page.text()).toContain('<title>Not found · Tickline</title>');
      const other = await fetch(`${service.url}${path}`, { headers: { accept: '*/*' } });
      expect(other.status).toBe(404);
      expect(await other.json()).toMatchObject({ success: false });
    },
  );

  test('leaves the paths of the API to the API, also for a browser', async () => {
    const answers = await Promise.all(['/api/nothing', '/coingecko/api/v3/nothing'].map(asBrowser));
    for (const answer of answers) expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  test('serves the description of the API', async () => {
    const answer = await fetch(`${service.url}/openapi.json`);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toMatchObject({ openapi: '3.1.0' });
  });

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ])('compresses for a client that accepts %s', async (accepted, encoding) => {
    const headers = { 'accept-encoding': accepted, 'x-api-key': KEY };
    for (const path of ['/', '/api/marketdata/search?q=bit&limit=50']) {
      const answer = await fetch(`${service.url}${path}`, { headers });
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('vary')).toContain('accept-encoding');
      expect((await answer.text()).length).toBeGreaterThan(1000);
    }
  });

  test('asks for the key once, keeps it in the tab alone, and tries again what failed', async () => {
    const { page, cards, problems, close } = await openPage(browser, service.url, { path: '/#BTC' });
    await page.getByText('This service needs an API key.').waitFor();
    await page.locator('.notice').getByRole('button', { name: 'Open settings' }).click();
    const field = page.getByLabel('API key of the service');
    await field.fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('This service does not accept the API key in the settings.').waitFor();
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await field.fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await untilDrawn(cards); // without being asked again
    expect(
      await page.evaluate(() => [JSON.stringify({ ...sessionStorage }), JSON.stringify({ ...localStorage })]),
    ).toEqual([expect.stringContaining(KEY), expect.not.stringContaining(KEY)]);
    expect(problems).toEqual([]);
    await close();
  });

  test('runs a command again that the service refused without a key', async () => {
    const { page, command, log, problems, close } = await openPage(browser, service.url);
    await command('cprice BTC');
    await log.getByText('Unauthorized: the service wants an API key. Set it in the settings.').waitFor();
    await log.getByRole('button', { name: 'settings' }).click();
    await page.getByLabel('API key of the service').fill(KEY);
    await page.keyboard.press('Enter');
    await log.getByText('Bitcoin (BTC)').waitFor();
    expect(problems).toEqual([]);
    await close();
  });
});
