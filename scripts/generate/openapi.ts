/** Writes docs/openapi.json from the route table, with examples answered by the local service and a local chain. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routes } from '../../functions/routes.ts';
import { synthesize } from '../../local/prepare.ts';
import { startLocalService } from '../../local/service.ts';
import { exampleAnswers } from '../openapi/answers.ts';
import { openApiDocument } from '../openapi/document.ts';

const file = join(import.meta.dirname, '../../docs/openapi.json');
const assembly = await mkdtemp(join(tmpdir(), 'marketdata-openapi-'));
try {
  await synthesize('local', assembly);
  const service = await startLocalService({
    assembly,
    chain: 'local',
    provider: { mode: 'simulated' },
    store: { history: true }, // some routes answer from the store alone
    execArgv: process.execArgv,
    quiet: true,
  });
  try {
    const examples = await exampleAnswers(service.url, routes);
    await writeFile(file, `${JSON.stringify(openApiDocument(routes, examples), null, 2)}\n`);
    console.log(`Written ${file}`);
  } finally {
    await service.close();
  }
} finally {
  await rm(assembly, { recursive: true });
}
