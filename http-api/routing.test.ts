import { expect, test } from 'vitest';
import { createRouter } from './routing.ts';

const keys = [
  '$default',
  'ANY /{proxy+}',
  'GET /pets/{proxy+}',
  'GET /pets/{name}/{number}',
  'GET /pets/dog/{number}',
  'GET /pets/dog/1',
  'ANY /pets/dog/1',
  'POST /orders',
];
const route = createRouter(keys.map((key) => ({ key })));

// The first five are the examples of API Gateway's own page on routes.
test.each([
  ['GET', '/pets/dog/1', 'GET /pets/dog/1', undefined],
  ['GET', '/pets/dog/2', 'GET /pets/dog/{number}', { number: '2' }],
  ['GET', '/pets/cat/1', 'GET /pets/{name}/{number}', { name: 'cat', number: '1' }],
  ['GET', '/pets/cat/1/2', 'GET /pets/{proxy+}', { proxy: 'cat/1/2' }],
  ['POST', '/test/5', 'ANY /{proxy+}', { proxy: 'test/5' }],
  ['POST', '/pets/dog/1', 'ANY /pets/dog/1', undefined],
  ['GET', '/orders', 'ANY /{proxy+}', { proxy: 'orders' }],
  ['GET', '/', '$default', undefined],
  ['GET', '/pets/dog/', 'GET /pets/{proxy+}', { proxy: 'dog/' }],
  ['GET', '/pets/a%2Fb/%3F', 'GET /pets/{name}/{number}', { name: 'a/b', number: '?' }],
])('%s %s is taken by %s', (method, path, key, parameters) => {
  expect(route(method, path)).toEqual({ route: { key }, parameters });
});

test('without a $default route an unknown path has no route', () => {
  expect(createRouter([{ key: 'GET /a/{id}' }])('GET', '/a/')).toBeUndefined();
  expect(createRouter([{ key: 'GET /a/{id}' }])('GET', '/a/b/c')).toBeUndefined();
  expect(createRouter([{ key: 'GET /a/{id}' }])('POST', '/a/b')).toBeUndefined();
});
