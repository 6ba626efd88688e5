import type { Scenario } from './scenario.ts';

/** Traffic with the containers that Lambda would have for it, and how much of it is simulated. */
export const levels = [
  { requestsPerDay: 1_000, containers: 1, sample: 1 },
  { requestsPerDay: 10_000, containers: 5, sample: 1 },
  { requestsPerDay: 100_000, containers: 25, sample: 5 },
  { requestsPerDay: 1_000_000, containers: 100, sample: 20 },
  { requestsPerDay: 10_000_000, containers: 500, sample: 100 },
] as const;

/** The level of traffic at which our own history is looked at, in weeks of which most are simulated sparsely. */
export const historyLevel = {
  requestsPerDay: 10_000_000,
  containers: 500,
  sample: 100,
  warmUpSample: 2_000,
} as const;

/** The level of traffic at which things go wrong. */
export const faultLevel = { requestsPerDay: 3_000, containers: 5, sample: 1 } as const;

const between = (hour: number, from: number, to: number) => hour >= from && hour < to;

type Fault = Pick<Scenario, 'troubleAt' | 'tableTroubleAt' | 'isStoreDownAt'> & { readonly name: string };

/** The trouble of the measured day. */
export const faults: readonly Fault[] = [
  { name: 'nothing' },
  {
    name: 'provider silent from 12 to 18 h',
    troubleAt: (hour) => (between(hour, 12, 18) ? 'silence' : 'none'),
  },
  {
    name: 'provider answers 503 from 12 to 18 h',
    troubleAt: (hour) => (between(hour, 12, 18) ? 'errors' : 'none'),
  },
  {
    name: '429 storms, the second half of every hour',
    troubleAt: (hour) => (hour >= 0 && hour % 1 >= 0.5 ? '429' : 'none'),
  },
  { name: 'table down from 10 to 12 h', tableTroubleAt: (hour) => (between(hour, 10, 12) ? 'down' : 'none') },
  { name: 'table slow from 10 to 12 h', tableTroubleAt: (hour) => (between(hour, 10, 12) ? 'slow' : 'none') },
  { name: 'S3 down from 10 to 12 h', isStoreDownAt: (hour) => between(hour, 10, 12) },
  {
    name: 'provider silent from 12 to 18 h, table down from 13 to 14 h',
    troubleAt: (hour) => (between(hour, 12, 18) ? 'silence' : 'none'),
    tableTroubleAt: (hour) => (between(hour, 13, 14) ? 'down' : 'none'),
  },
];
