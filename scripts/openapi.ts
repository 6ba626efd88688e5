/** Writes docs/openapi.json from the route table, with examples answered by the local service on simulated data. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { routes } from '../functions/routes.ts';
import { startLocalService } from '../local/service.ts';
import { type AnyRoute, openApiDocument } from './openapi/document.ts';
import { exampleUrl } from './openapi/example.ts';

const file = join(import.meta.dirname, '../docs/openapi.json');
const service = await startLocalService({ port: 0, provider: { mode: 'simulated' }, quiet: true });
try {
  const examples: Record<string, unknown> = {};
  for (const route of routes as readonly AnyRoute[]) {
    if (!route.example) continue;
    const response = await fetch(service.url + exampleUrl(route));
    const answer = (await response.json()) as { success: boolean; data?: unknown; error?: string };
    if (!answer.success)
      throw new Error(`The example of ${route.name} answers ${response.status}: ${answer.error}`);
    examples[route.name] = answer.data;
  }
  await writeFile(file, `${JSON.stringify(openApiDocument(routes, examples), null, 2)}\n`);
} finally {
  await service.close();
}
