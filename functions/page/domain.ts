import type { Domain } from '../../shared/http/domain.ts';
import { route as html } from './html/route.ts';

/** HTML for browsers: what the page is called at each of its addresses. */
export const domain: Domain = { name: 'page', routes: [html] };
