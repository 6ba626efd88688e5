/**
 * The parts of every comparison handler that are not the framework's: the key, the limiter, the upstream call and its
 * cache, each in its simplest form, so that the variants differ only in the framework.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { Agent, get } from 'node:http';

const WINDOW_MS = 60_000;
const REQUESTS_PER_WINDOW = 100;
const FRESH_MS = 60_000;
const TIMEOUT_MS = 8_000;

/** Outside production no key is needed. */
export function isAllowed(givenKey: string | undefined): boolean {
  if (process.env.NODE_ENV !== 'production') return true;
  const expected = process.env.CLIENT_API_KEY;
  return !!expected && !!givenKey && timingSafeEqual(digest(givenKey), digest(expected));
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const windows = new Map<string, { start: number; count: number }>();

/** Counts one request of the client: 100 in a fixed window of 60 s. */
export function takeRequest(client: string): { allowed: boolean; headers: Record<string, string> } {
  const now = Date.now();
  let window = windows.get(client);
  if (!window || now - window.start >= WINDOW_MS) {
    window = { start: now, count: 0 };
    windows.set(client, window);
  }
  window.count += 1;
  return {
    allowed: window.count <= REQUESTS_PER_WINDOW,
    headers: {
      'ratelimit-limit': String(REQUESTS_PER_WINDOW),
      'ratelimit-remaining': String(Math.max(0, REQUESTS_PER_WINDOW - window.count)),
      'ratelimit-reset': String(Math.ceil((window.start + WINDOW_MS - now) / 1000)),
    },
  };
}

export function isCoinId(id: string | undefined): id is string {
  return id !== undefined && id.length >= 1 && id.length <= 200;
}

const agent = new Agent({ keepAlive: true });
const tickers = new Map<string, { data: unknown; freshUntil: number }>();

/** The ticker from the cache or, once it is 60 s old, from the provider, with its `cache-control`. */
export async function cachedTicker(id: string): Promise<{ data: unknown; cacheControl: string }> {
  const now = Date.now();
  let entry = tickers.get(id);
  if (!entry || now >= entry.freshUntil) {
    entry = { data: await fetchTicker(id), freshUntil: now + FRESH_MS };
    tickers.set(id, entry);
  }
  return {
    data: entry.data,
    cacheControl: `public, max-age=${Math.floor((entry.freshUntil - now) / 1000)}`,
  };
}

// Not the global fetch, whose first use would cost each variant 40 ms.
function fetchTicker(id: string): Promise<unknown> {
  const url = `${process.env.COINPAPRIKA_BASE_URL}/tickers/${encodeURIComponent(id)}`;
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  get(url, { agent, timeout: TIMEOUT_MS }, (response) => {
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      body += chunk;
    });
    response.on('error', reject);
    response.on('end', () => {
      if (response.statusCode === 200) resolve(JSON.parse(body));
      else reject(new Error(`The provider answered ${response.statusCode}`));
    });
  }).on('error', reject);
  return promise;
}
