import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { HttpResult } from '../../../shared/http/middleware/pipeline-request.ts';
import { fileHeaders } from '../../../shared/http/page.ts';

/** The build puts the page's files beside the bundle; when run from source they are where they were built. */
const places = ['web', '../../../dist/web'].map((name) => {
  const place = join(import.meta.dirname, name);
  return { place, files: filesIn(place) };
});
const { place: folder, files } = places.find((each) => each.files.length > 0) ?? { place: '', files: [] };
/** Nothing else is read, whatever the path. */
const paths = new Set(files.map((file) => `/${file}`));
const compressed = new Map<string, string>();

/** A document of the page, such as `index.html`; empty if the page is not built. */
export function readDocument(name: string): string {
  return paths.has(`/${name}`) ? readFileSync(join(folder, name), 'utf8') : '';
}

/**
 * A file of the page by its path; undefined if there is none. Behind a distribution S3 serves them, so this is for stages
 * without one. Compressed, because API Gateway does not compress.
 */
export function fileAnswer(path: string, acceptEncoding: string): HttpResult | undefined {
  const name = path === '/' ? '/index.html' : path;
  if (!paths.has(name)) return undefined;
  const headers = { ...fileHeaders(name), vary: 'accept-encoding' };
  if (!/\bgzip\b/.test(acceptEncoding))
    return { statusCode: 200, headers, body: readFileSync(join(folder, name), 'utf8') };
  const body = compressed.get(name) ?? gzipSync(readFileSync(join(folder, name))).toString('base64');
  compressed.set(name, body);
  return {
    statusCode: 200,
    headers: { ...headers, 'content-encoding': 'gzip' },
    body,
    isBase64Encoded: true,
  };
}

function filesIn(place: string): string[] {
  try {
    const entries = readdirSync(place, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(place.length + 1));
  } catch {
    return []; // it is the other folder, or not built
  }
}
