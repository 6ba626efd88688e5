import type { Domain } from '../../shared/http/domain.ts';
import { route as approve } from './approve/route.ts';
import { route as quote } from './quote/route.ts';
import { route as swap } from './swap/route.ts';

export const domain: Domain = { name: 'uniswap', routes: [quote, approve, swap] };
