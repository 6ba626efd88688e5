import type { Domain } from '../../shared/http/domain.ts';
import { route as api } from './api/route.ts';

/** Market data in CoinGecko's shapes, for programs that were written for its API. */
export const domain: Domain = { name: 'coingecko', routes: [api] };
