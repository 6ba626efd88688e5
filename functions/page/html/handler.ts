import { publicFor } from '../../../shared/http/cache-control.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { wholeAnswer } from '../../../shared/http/middleware/envelope.ts';
import { onlyHeader } from '../../../shared/http/middleware/pipeline-request.ts';
import { PAGE_PREFIX, pageHeaders } from '../../../shared/http/page.ts';
import { readSecret } from '../../../shared/platform/environment.ts';
import { openedRegistry, refreshRegistry } from '../../../shared/registry/container.ts';
import { fileAnswer, readDocument } from './files.ts';
import { coinHtml, missingHtml } from './html.ts';
import { route } from './route.ts';

const CACHED_SECONDS = 600;

const shells = { index: readDocument('index.html'), docs: readDocument('docs.html') };

export const handler = endpoint(
  route,
  async (_input, { event, environment }) => {
    if (!shells.index) throw new Error('The page is not built: npm run build');
    // The distribution adds a prefix to it.
    const path = event.rawPath.startsWith(`${PAGE_PREFIX}/`)
      ? event.rawPath.slice(PAGE_PREFIX.length)
      : event.rawPath;
    const file = fileAnswer(path, onlyHeader(event.headers, 'accept-encoding'));
    if (file) return file;
    const found = path === '/docs' ? shells.docs : await coinPage(path, environment);
    // Clients that do not accept HTML get the envelope, as at every other path that does not exist.
    if (!found && !onlyHeader(event.headers, 'accept').includes('text/html'))
      throw ApiError.notFound(`No such page or route: ${path}`);
    return {
      statusCode: found ? 200 : 404,
      headers: {
        ...pageHeaders,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': found ? publicFor(CACHED_SECONDS) : 'no-store',
      },
      body: found ?? missingHtml(shells.index),
    };
  },
  readSecret,
  wholeAnswer,
);

/** The page of `/coins/{id}`; undefined for another path, and for an id that the registry does not contain. */
async function coinPage(path: string, environment: { readonly REGISTRY_BUCKET?: string }) {
  // API Gateway has decoded the path.
  const [, id] = /^\/coins\/(.+?)\/?$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  await refreshRegistry(environment, id);
  const entry = openedRegistry()?.getById(id);
  return entry ? coinHtml(shells.index, entry) : undefined;
}
