/** The built web page, given out as CloudFront and S3 do on AWS. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { cacheControl, pageHeaders } from '../client/web/headers.ts';
import type { Handle } from './gateway.ts';

/** `npm run build` puts it here. */
export const builtPage = join(import.meta.dirname, '../dist/web');

interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The files of the page, by their path on the server. */
export type Page = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/markdown; charset=utf-8',
};

/** Reads the page's files into memory. Throws an Error that says how to build it if there is none. */
export async function readPage(folder: string): Promise<Page> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const page = new Map<string, PageFile>();
  for (const file of files) {
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    const headers = {
      ...pageHeaders,
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'cache-control': path.startsWith('/assets/') ? cacheControl.assets : cacheControl.page,
    };
    page.set(path, { headers, body: await readFile(file) });
  }
  const index = page.get('/index.html');
  if (!index) throw new Error(`No web page in ${folder}: run npm run build first`);
  return page.set('/', index);
}

/** Answers GET and HEAD of the page's files; every other request goes on to `next`. */
export function withPage(page: Page, next: Handle): Handle {
  return async (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const file = request.method === 'GET' || request.method === 'HEAD' ? page.get(path) : undefined;
    if (!file) return await next(request, response);
    response.writeHead(200, { ...file.headers, 'content-length': file.body.length });
    response.end(file.body);
  };
}
