import type { Client } from '../sdk/index.ts';

/** The routes that the commands call, as the typed client has them. */
export type Api = Client['marketdata'];
