import { mkdtempSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Loopback, respond, respondJson, startLoopback } from '../test/pipeline/loopback.ts';
import { runHere } from '../test/run-here.ts';
import { main } from './check-openapi.ts';

const folder = mkdtempSync(join(inject('runFolder'), 'check-openapi-'));
const fileOf = (content: unknown) => {
  const file = join(mkdtempSync(join(folder, 'file-')), 'file.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
};

const json = (schema: object) => ({
  200: { description: 'ok', content: { 'application/json': { schema } } },
});
const get = (schema: object, ...parameters: object[]) => ({ get: { parameters, responses: json(schema) } });
const described = (openapi: string, paths: object, schemas: object = {}) =>
  fileOf({ openapi, info: { title: 'Shop', version: '1' }, paths, components: { schemas } });
const required = (name: string, place: string, more: object = {}) => ({
  ...{ name, in: place, required: true, schema: { type: 'string' } },
  ...more,
});

const item = {
  type: 'object',
  required: ['id', 'price', 'kind'],
  properties: {
    id: { type: 'string' },
    price: { type: 'number' },
    note: { type: 'string', nullable: true },
    kind: { type: 'string', enum: ['fruit', 'tool'] },
    sold_at: { type: 'string', format: 'date-time' },
    stock: { type: 'object', additionalProperties: { type: 'integer' } },
    tags: { type: 'array', items: { oneOf: [{ type: 'number' }, { type: 'string' }] } },
  },
};
const shop = {
  '/items': get({ type: 'array', items: { $ref: '#/components/schemas/Item' } }),
  '/items/{id}': get({ allOf: [{ $ref: '#/components/schemas/Item' }] }, required('id', 'path')),
  '/search': get({ type: 'object', additionalProperties: false }, required('query', 'query')),
  '/prices': get(
    { type: 'object' },
    required('days', 'query', { schema: { type: 'integer', enum: [1, 7] } }),
  ),
  '/reports': get({ type: 'object' }),
  '/page': get({ type: 'object' }),
  '/orders': get({ type: 'object' }, required('code', 'query', { schema: { type: 'string', example: 'a' } })),
  '/orders/{number}': get({ type: 'object' }, required('number', 'path')),
  '/orders/new': { post: { responses: json({ type: 'object' }) } },
};

const apple = {
  id: 'apple',
  name: 'Apple',
  price: 1,
  note: null,
  kind: 'fruit',
  sold_at: '2026-11-29T08:00:00Z',
};
const bodies: Readonly<Record<string, unknown>> = {
  '/items': [
    apple,
    { id: 'saw', name: 'Saw', price: 2.5, kind: 'tool', stock: { kyiv: 3 }, tags: [1, 'old'] },
  ],
  '/items/apple': apple,
};

describe('check-openapi.ts', () => {
  let service: Loopback;
  beforeEach(async () => {
    service = await startLoopback();
  });
  afterEach(() => service.close());

  const check = (file: string, ...options: string[]) => runHere(main, [file, service.url, ...options]);
  const answer = (listeners: Readonly<Record<string, RequestListener>>) =>
    service.answer((request, response) => {
      const { url = '' } = request;
      const [path = ''] = url.split('?');
      const body = bodies[path];
      const otherwise = body === undefined ? respondJson({ error: 'not found' }, 404) : respondJson(body);
      (listeners[url] ?? listeners[path] ?? otherwise)(request, response);
    });

  it('prints every kind of violation once, with route, field, rule, count, a value and its query', async () => {
    const saw = { id: null, kind: 'car', sold_at: 'today', stock: { kyiv: 3, lviv: 1.5 }, tags: ['a', null] };
    answer({
      '/items/saw': respondJson(saw),
      '/search': respondJson({ rows: [] }),
      '/prices?days=7': respondJson({ error: 'days must be 1' }, 422),
      '/prices': respondJson({}),
      '/reports': respondJson({ error: 'out of order' }, 503),
      '/page': respond(200, { 'content-type': 'text/html' }, '<p>'),
    });

    const { stdout, stderr, code } = await check(described('3.0.3', shop, { Item: item }));
    expect(stdout.replaceAll(service.url, '')).toBe(`/items/{id}
  /id  null, described as string, in 1 of 2: null
    /items/saw
  /kind  not one of the described values, in 1 of 2: "car"
    /items/saw
  /price  missing, in 1 of 2
    /items/saw
  /sold_at  not a date-time, in 1 of 2: "today"
    /items/saw
  /stock/*  number, described as integer, in 1 of 2: 1.5
    /items/saw
  /tags/*  null, fits none of the alternatives, in 1 of 2: null
    /items/saw
/search
  /rows  not described, in 2 of 2: {"rows":[]}
    /search?query=Apple
/prices
  (status)  refused with 422, in 1 of 2: "{\\"error\\":\\"days must be 1\\"}"
    /prices?days=7
/reports
  (status)  failed with 503, in 1 of 1: "{\\"error\\":\\"out of order\\"}"
    /reports
/page
  (content-type)  described as application/json, in 1 of 1: "text/html"
    /page
Not requested:
  /orders/{number}: no value is known for number
  /orders/new: POST
Not served, 404 for each query:
  /orders
3 of 9 responses valid
`);
    expect({ stderr, code }).toEqual({ stderr: '', code: 1 });
  });

  it('succeeds if all responses are valid, and waits where the service limits requests', async () => {
    let limited = 0;
    const paths = { '/items': shop['/items'], '/items/{id}': shop['/items/{id}'] };
    answer({
      '/items/saw': (request, response) => {
        limited += 1;
        const isLimited = limited < 3;
        const body = isLimited ? { error: 'slow down' } : { id: 'saw', price: 2, kind: 'tool' };
        respondJson(body, isLimited ? 429 : 200, { 'retry-after': '0' })(request, response);
      },
    });
    expect(await check(described('3.0.3', paths, { Item: item }))).toEqual({
      stdout: '3 of 3 responses valid\n',
      stderr: '',
      code: 0,
    });
    expect(limited).toBe(3);
  });

  it('reads 3.1, where null is a type', async () => {
    const type = ['number', 'null'];
    const schema = {
      anyOf: [{ type: 'null' }, { type: 'object', properties: { a: { type }, b: { type: 'number' } } }],
    };
    answer({ '/one': respondJson({ a: null, b: null }), '/none': respondJson(null) });

    const { stdout } = await check(described('3.1.0', { '/one': get(schema), '/none': get(schema) }));
    expect(stdout.replaceAll(service.url, '')).toBe(`/one
  /b  null, described as number, in 1 of 1: null
    /one
1 of 2 responses valid
`);
  });

  it('draws from enums, limits, lists in words, and addresses of the network; the same for the same seed', async () => {
    const text = (name: string, description: string) => ({
      name,
      in: 'query',
      description,
      schema: { type: 'string' },
    });
    const paths = {
      '/tokens': get({ type: 'array' }),
      '/networks': get({ type: 'array' }),
      '/tokens/{network}/{address}': get(
        { type: 'object' },
        required('network', 'path', { description: 'refers to [`/networks`](/networks)' }),
        required('address', 'path'),
        text('window', 'Comma-separated. Valid values: `1h`, `24h`'),
        { name: 'size', in: 'query', description: 'Valid values: 1...250', schema: { type: 'integer' } },
        { name: 'full', in: 'query', schema: { type: 'boolean' } },
        text('unknown', 'Anything'),
        ...['from', 'to'].map((name) => required(name, 'query', { description: 'UNIX timestamp' })),
      ),
    };
    answer({
      '/networks': respondJson([{ id: 'eth' }, { id: 'base' }]),
      '/tokens': respondJson([
        { id: 'a', platforms: { eth: '0x1', moon: '0x3' } },
        { id: 'b', platforms: { base: '0x2' } },
      ]),
      '/tokens/eth/0x1': respondJson({}),
      '/tokens/base/0x2': respondJson({}),
    });
    const file = described('3.0.3', paths);

    expect(await check(file)).toMatchObject({ stdout: '22 of 22 responses valid\n', code: 0 });
    const drawn = service.requests.slice(2).map((query) => new URL(query, service.url));
    for (const { searchParams } of drawn)
      expect(Number(searchParams.get('from'))).toBeLessThan(Number(searchParams.get('to')));
    const valuesOf = (name: string) =>
      new Set(drawn.flatMap(({ searchParams }) => searchParams.get(name) ?? []));
    expect(new Set(drawn.map(({ pathname }) => pathname))).toEqual(
      new Set(['/tokens/eth/0x1', '/tokens/base/0x2']),
    );
    expect([...valuesOf('window')].sort()).toEqual(['1h', '1h,24h', '24h', '24h,1h']);
    expect([...valuesOf('size')].sort()).toEqual(['1', '250']);
    expect([...valuesOf('full')].sort()).toEqual(['false', 'true']);
    expect(valuesOf('unknown')).toEqual(new Set());

    const first = service.requests.splice(0);
    await check(file);
    expect(service.requests.splice(0)).toEqual(first);
    await check(file, '--seed', '2');
    expect(service.requests).not.toEqual(first);
  });

  it('takes from a file values instead, and parameters of which a query needs one', async () => {
    const optional = (name: string) => ({ name, in: 'query', schema: { type: 'string', default: name } });
    const paths = {
      '/orders/{number}': shop['/orders/{number}'],
      '/prices': get({ type: 'object' }, optional('ids'), optional('names')),
    };
    answer({ '/orders/17': respondJson({}), '/prices': respondJson({}) });
    const values = fileOf({ number: [17], '/prices': ['ids', 'names'] });

    expect(await check(described('3.0.3', paths), '--values', values)).toMatchObject({
      stdout: '4 of 4 responses valid\n',
      code: 0,
    });
    expect(service.requests.sort()).toEqual([
      '/orders/17',
      '/prices?ids=ids',
      '/prices?ids=ids&names=names',
      '/prices?names=names',
    ]);
  });

  it('fails if nothing is served, as at a wrong address, and names files and addresses that cannot be read', async () => {
    answer({});
    expect(await check(described('3.0.3', { '/orders': shop['/orders'] }))).toMatchObject({
      stdout: 'Not served, 404 for each query:\n  /orders\n0 of 0 responses valid\n',
      code: 1,
    });
    const file = fileOf({ swagger: '2.0' });
    expect(await check(file)).toMatchObject({
      stderr: `Not checked: ${file}: it is not an OpenAPI description of version 3.0 or 3.1\n`,
      code: 1,
    });
    expect(await runHere(main, [file])).toMatchObject({ code: 2 });
    expect(await check(file, '--queries', '0')).toMatchObject({ code: 2 });
  });
});
