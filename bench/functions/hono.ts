import { honoApp } from './hono-app.ts';
import { cachedTicker } from './ticker-service.ts';

export const handler = honoApp(cachedTicker);
