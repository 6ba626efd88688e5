import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { routes } from '../functions/routes.ts';
import { openApiDocument } from '../scripts/generate/openapi.ts';
import { compileResponse } from '../shared/http/compile-schemas.ts';
import type { Route } from '../shared/http/route.ts';

const written = JSON.parse(readFileSync(join(import.meta.dirname, '../docs/openapi.json'), 'utf8'));

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

  it('has a response of each route that fits its schema, and an Idempotency-Key where one is accepted', () => {
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
});
