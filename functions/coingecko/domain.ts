import type { Domain } from '../../shared/http/domain.ts';
import { route as api } from './api/route.ts';

/** CoinGecko's API over our own data, for programs that have a client of it. */
export const domain: Domain = { name: 'coingecko', routes: [api] };
