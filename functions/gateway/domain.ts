import type { Domain } from '../../shared/http/domain.ts';
import { route as fallback } from './default/route.ts';

export const domain: Domain = { name: 'gateway', routes: [fallback] };
