import Type from 'typebox';
import { expect, it } from 'vitest';
import { defineRoute } from './route.ts';

const rest = {
  name: 'test/coin',
  method: 'GET',
  summary: 'A coin',
  limit: 'read',
  response: Type.Unknown(),
  example: {},
  memoryMb: 128,
  timeoutSeconds: 5,
  maxConcurrency: 1,
} as const;
const pathParameters = Type.Object({ id: Type.String() });

it('takes a path with the names of pathParameters, and the compiler no other', () => {
  const { parameters } = defineRoute({ ...rest, path: '/api/coins/{id}', pathParameters });
  expect(parameters).toMatchObject([{ name: 'id', in: 'path' }]);

  // @ts-expect-error a name that pathParameters does not have
  defineRoute({ ...rest, path: '/api/coins/{coin}', pathParameters });
  // @ts-expect-error a parameter that the path does not have
  defineRoute({ ...rest, path: '/api/coins', pathParameters });
  // @ts-expect-error a name in the path alone
  defineRoute({ ...rest, path: '/api/coins/{id}' });
});
