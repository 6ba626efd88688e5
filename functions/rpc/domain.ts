import type { Domain } from '../../shared/http/domain.ts';
import { route as proxy } from './proxy/route.ts';

export const domain: Domain = { name: 'rpc', routes: [proxy] };
