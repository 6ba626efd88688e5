// The network of a machine whose router comes later: it is there once the file NETWORK exists.
import { existsSync } from 'node:fs';

const { fetch } = globalThis;
globalThis.fetch = async (url, options) => {
  if (!String(url).startsWith('https://')) return fetch(url, options);
  if (!existsSync(process.env.NETWORK)) throw new TypeError('fetch failed');
  return new Response('{}');
};
