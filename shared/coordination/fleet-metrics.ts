import { count, observe } from '../platform/metrics.ts';
import type { Observe } from './observer.ts';

/** Tells what the fleet's shared parts do as metrics. */
export const measureFleet: Observe = (event) => {
  if (event.kind === 'table-failure') count('SharedStoreFailures');
  else if (event.kind === 'shared-cache') {
    if (event.outcome === 'hit' || event.outcome === 'waited') count('SharedCacheHits');
  } else {
    if (event.outcome === 'refused') count('QuotaRefused');
    if (event.usage) {
      observe('QuotaUsedDay', event.usage.today);
      observe('QuotaUsedMonth', event.usage.month);
    }
  }
};
