import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';

export const route = defineRoute({
  name: 'gateway/default',
  method: 'ANY',
  path: '$default',
  summary: 'Every request that matches no route: 404, or 405 where the path exists',
  limit: 'read',
  response: Type.Never(),
  example: {},
  memoryMb: 128,
  timeoutSeconds: 5,
  maxConcurrency: 10,
});
