import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { handler as mcpHandler } from '../functions/mcp/server/handler.ts';
import { routes } from '../functions/routes.ts';
import { openApiDocument } from '../scripts/generate/openapi.ts';
import { compileResponse } from '../shared/http/compile-schemas.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import type { Route, RuntimeRoute } from '../shared/http/route.ts';
import { contextOf, eventOf } from './pipeline/event.ts';

const root = join(import.meta.dirname, '..');
const file = join(root, 'docs/openapi.json');
const written = JSON.parse(readFileSync(file, 'utf8'));

interface Operation {
  readonly responses: { 200: { content: { 'application/json': { example?: { data: unknown } } } } };
}

function exampleOf({ path, method }: Route): unknown {
  const operation: Operation = written.paths[path][method.toLowerCase()];
  return operation.responses[200].content['application/json'].example?.data;
}

const documented = routes.filter(({ path, envelope }) => path !== '$default' && envelope !== false);

describe('docs/openapi.json', () => {
  it('is what `npm run generate` writes for the present routes', () => {
    const examples = Object.fromEntries(documented.map((route) => [route.name, exampleOf(route)]));
    expect(written).toEqual(JSON.parse(JSON.stringify(openApiDocument(routes, examples))));
  });

  it('has an answer of each route that fits its schema, and says which ones take an Idempotency-Key', () => {
    const problems = documented.flatMap((route) =>
      compileResponse(route.response)(exampleOf(route)).map((problem) => `${route.name}: ${problem}`),
    );
    expect(problems).toEqual([]);
    const idempotent = documented.filter((route) => route.idempotent);
    expect(idempotent.length).toBeGreaterThan(0);
    for (const { path, method } of idempotent)
      expect(written.paths[path][method.toLowerCase()]).toMatchObject({
        parameters: expect.arrayContaining([
          expect.objectContaining({ name: 'Idempotency-Key', in: 'header', required: false }),
        ]),
        responses: { 422: {} },
      });
  });

  const withBody = routes.filter(({ method }) => method === 'POST');
  it.each(withBody.map((route) => [route.name, route] as const))(
    'says that %s refuses a larger body',
    async (_name, route) => {
      const { path, envelope, maxBodyBytes } = route;
      const handler = envelope === false ? mcpHandler : endpoint(route as RuntimeRoute, vi.fn());
      const headers = { 'content-type': 'application/json' };
      const event = eventOf({ method: 'POST', path, headers, body: ' '.repeat(maxBodyBytes + 1) });

      expect((await handler(event, contextOf())).statusCode).toBe(413);
      expect(written.paths[path].post.responses[413].description).toContain(`${maxBodyBytes} bytes`);
    },
  );

  it('passes the lint', async () => {
    const lint = promisify(execFile)('redocly', ['lint', file, '--format=json'], {
      cwd: root,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    const { stdout } = await lint;
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } });
  });
});
