import { count, recordValue } from '../platform/metrics.ts';
import type { Observe } from './observer.ts';

/** Tells what the fleet's shared parts do as metrics. */
export const measureFleet: Observe = (event) => {
  if (event.kind === 'table-failure') count('SharedStoreFailures');
  else if (event.kind === 'shared-cache') {
    if (event.outcome === 'hit' || event.outcome === 'waited') count('SharedCacheHits');
  } else {
    if (event.outcome === 'refused') count('QuotaRefused');
    if (event.usage) {
      recordValue('QuotaUsedDay', event.usage.today);
      recordValue('QuotaUsedMonth', event.usage.month);
    }
  }
};
