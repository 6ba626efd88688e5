/** Loaded when a provider has to be asked for history: most charts come from the store. */
import { type Upstream, upstreamOf } from '../../shared/marketdata/upstream-rows.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { clientFor } from '../../shared/providers/index.ts';

export function upstreamFor(environment: Environment): Upstream {
  return upstreamOf(clientFor(environment, 'candles', 'prices'));
}
