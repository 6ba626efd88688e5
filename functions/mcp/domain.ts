import type { Domain } from '../../shared/http/domain.ts';
import { route as server } from './server/route.ts';

export const domain: Domain = { name: 'mcp', routes: [server] };
