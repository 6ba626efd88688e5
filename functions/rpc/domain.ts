import type { Domain } from '../../shared/http/domain.ts';
import { route as chains } from './chains/route.ts';
import { route as proxy } from './proxy/route.ts';

export const domain: Domain = {
  name: 'rpc',
  routes: [chains, proxy],
  graphs: [{ title: 'Calls that went to a chain’s second node', sumsOf: ['NodeFallback'] }],
};
