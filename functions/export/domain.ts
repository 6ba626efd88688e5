import type { Domain } from '../../shared/http/domain.ts';
import { route as api } from './api/route.ts';

/** Prices as text for spreadsheets, notebooks, accounting programs and Prometheus. */
export const domain: Domain = { name: 'export', routes: [api] };
