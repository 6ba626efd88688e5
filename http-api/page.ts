/** The built web page, served as CloudFront and S3 do on AWS. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileHeaders, PAGE_PREFIX } from '../shared/http/page.ts';
import { compressed } from './compression.ts';
import type { Handle } from './gateway.ts';

/** The output of `npm run build`. */
export const builtPage = join(import.meta.dirname, '../dist/web');

interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The files of the page, by their path on the server. */
export type Page = ReadonlyMap<string, PageFile>;

/** Reads the page's files into memory. If there are none, throws an Error that explains how to build them. */
export async function readPage(folder: string): Promise<Page> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const page = new Map<string, PageFile>();
  for (const file of files) {
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    page.set(path, { headers: fileHeaders(path), body: await readFile(file) });
  }
  const index = page.get('/index.html');
  if (!index) throw new Error(`No web page in ${folder}: run npm run build first`);
  return page.set('/', index);
}

/** The API's path prefixes: `/api/`, and those of the adapters. */
export function apiPrefixes(routes: readonly { readonly path: string }[]): string[] {
  const paths = routes.filter(({ path }) => path.startsWith('/')).map(({ path }) => path);
  return [...new Set(paths.map((path) => `/${path.split('/', 2)[1]}/`))];
}

/**
 * Answers GET and HEAD of the page's files. A path that is neither a file nor below one of the API's prefixes goes to
 * the function below `PAGE_PREFIX`, as in the distribution. All other requests go to `next`.
 */
export function withPage(page: Page, apiPrefixes: readonly string[], next: Handle): Handle {
  return async (request, response) => {
    const { method, url = '/', headers } = request;
    const [path = '/'] = url.split('?', 1);
    if (method !== 'GET' && method !== 'HEAD') return await next(request, response);
    const file = page.get(path);
    if (!file) {
      const isOfApi = apiPrefixes.some((prefix) => path.startsWith(prefix));
      if (!isOfApi) request.url = `${PAGE_PREFIX}${url}`;
      return await next(request, response);
    }
    const encodings = headers['accept-encoding'];
    const { body, headers: own } = compressed(file.body, file.headers['content-type'], encodings);
    response.writeHead(200, { ...file.headers, ...own, 'content-length': body.length });
    response.end(body);
  };
}
