/** Loaded when a provider has to be asked for history: most charts come from the store. */
import { type Upstream, upstreamOf } from '../../shared/marketdata/upstream.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { clientFor, spareClientFor } from '../../shared/providers/index.ts';

export function upstreamFor(environment: Environment): Upstream {
  const offers = ['candles', 'prices'] as const;
  return upstreamOf(clientFor(environment, ...offers), spareClientFor(environment, ...offers));
}
