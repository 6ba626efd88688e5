import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../client/sdk/index.ts';
import { routes } from '../../functions/routes.ts';
import { methodRoutes, namesOf, sdkFile, sdkSource } from '../../scripts/generate/sdk.ts';
import type { Route } from '../../shared/http/route.ts';

const root = join(import.meta.dirname, '../..');
const openApi: { paths: Record<string, Record<string, { operationId: string }>> } = JSON.parse(
  readFileSync(join(root, 'docs/openapi.json'), 'utf8'),
);

const joined = (domain: string, action: string) => domain + action.charAt(0).toUpperCase() + action.slice(1);

describe('client/sdk/routes.ts', () => {
  it('equals the output of `npm run generate` for the current routes', () => {
    expect(readFileSync(join(root, sdkFile), 'utf8')).toBe(sdkSource(routes));
  });

  it('has a method for each operation of the OpenAPI document, and no other', () => {
    const client = createClient({ baseUrl: '' });
    const methods = Object.entries(client).flatMap(([domain, actions]) =>
      Object.keys(actions).map((action) => joined(domain, action)),
    );
    const isLeftOut = (path: string) => {
      const isOf = (candidate: Route) =>
        candidate.path === path || candidate.adapter?.routes.some((own) => own.path === path);
      const route = routes.find(isOf);
      return route !== undefined && methodRoutes([route]).length === 0;
    };
    const operations = Object.entries(openApi.paths)
      .filter(([path]) => !isLeftOut(path))
      .flatMap(([, operation]) => Object.values(operation).map(({ operationId }) => operationId));
    expect(methods.sort()).toEqual(operations.sort());
    expect(operations.length).toBeGreaterThan(10);
  });
});

describe('the types of client/sdk/routes.ts', () => {
  it('are one for a ticker, and one for a coin of the registry, whichever routes answer with them', () => {
    const source = sdkSource(routes);
    const timesOf = (field: string) => source.split(new RegExp(`\\n *${field}:`)).length - 1;
    expect([timesOf('percent_change_15m'), timesOf('is_new')]).toEqual([1, 1]);
    expect(source).toContain('ticker: MarketdataTickerData;');
    expect(source).toContain('results: MarketdataCoinData[];');
  });
});

describe('a route', () => {
  const [route] = routes;
  const source = (changes: Partial<Route>) => {
    if (!route) throw new Error('there are no routes');
    return sdkSource([{ ...route, ...changes }]);
  };

  it('whose schema has no words in TypeScript is named', () => {
    const response = JSON.parse('{"$ref":"#/elsewhere"}');
    expect(() => source({ name: 'marketdata/odd', response })).toThrow(
      'The client cannot be made for marketdata/odd',
    );
  });

  it('with hyphens in its name gets a method in camel case', () => {
    expect(namesOf('price-feed/last-close')).toEqual({ domain: 'priceFeed', action: 'lastClose' });
  });

  it('that answers without the envelope has no method', () => {
    expect(source({ name: 'other/messages', envelope: false })).not.toContain('messages');
  });
});
