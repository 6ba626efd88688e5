import type { Domain } from '../../shared/http/domain.ts';
import { route as api } from './api/route.ts';

/** Prices as text that spreadsheets, notebooks, accounting programs and Prometheus read. */
export const domain: Domain = { name: 'export', routes: [api] };
