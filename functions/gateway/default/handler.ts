import { endpoint } from '../../../shared/http/endpoint.ts';
import { routes } from '../../routes.ts';
import { refusalFor } from './refusal.ts';
import { route } from './route.ts';

export const handler = endpoint(route, (_input, { event }): never => {
  const { method = 'GET', path = '/' } = event.requestContext?.http ?? {};
  throw refusalFor(routes, method, event.rawPath || path);
});
