import Type from 'typebox';
import type { HttpResult } from '../../../shared/http/middleware/pipeline-request.ts';
import { PAGE_PREFIX } from '../../../shared/http/page.ts';
import { defineRoute } from '../../../shared/http/route.ts';

export const route = defineRoute({
  name: 'page/html',
  method: 'GET',
  path: `${PAGE_PREFIX}/{path+}`,
  summary: 'HTML for a path of the site that is not a file',
  limit: 'read',
  envelope: false,
  isPage: true,
  response: Type.Unsafe<HttpResult>(Type.Any()),
  environment: ['REGISTRY_PATH'],
  registry: true,
  example: {},
  memoryMb: 256,
  timeoutSeconds: 5,
  maxConcurrency: 4,
});
