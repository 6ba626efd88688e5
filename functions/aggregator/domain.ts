import type { Domain } from '../../shared/http/domain.ts';
import { aggregatorCounts } from './metrics.ts';
import { route as quote } from './quote/route.ts';

export const domain: Domain = {
  name: 'aggregator',
  routes: [quote],
  counts: aggregatorCounts,
  alarms: [
    {
      name: 'AggregatorKeyRefused',
      severity: 'ticket',
      says: '0x refuses this service’s key, so it returns no quotes',
      metric: { sumOf: 'ZeroxKeyRefused' },
      above: 0,
      periods: [2, 3],
    },
  ],
  graphs: [{ title: 'Aggregator', sumsOf: aggregatorCounts }],
  standIn: async () => (await import('./stand-in.ts')).startZerox(),
};
