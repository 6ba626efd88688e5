import Type from 'typebox';
import { originQualities } from '../../../shared/marketdata/origin.ts';
import { marketDataHeaders, registryHeaders, registryUnavailable } from '../contract.ts';
import { amountPattern, amountWords } from './decimal.ts';

/** A caller's amount. */
export const amount = Type.String({ pattern: amountPattern, description: amountWords });

/** An amount of ours. */
export const decimalField = (description: string) =>
  Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$', description });

/** As `toldOrigin` tells it. */
export const originFields = {
  source: Type.Union([Type.String(), Type.Null()], { description: 'Who says so; null for the US dollar' }),
  quality: Type.Enum([...originQualities], { description: 'As `x-data-quality` has them' }),
  dataTime: Type.Union([Type.String(), Type.Null()], {
    description: 'When it was said: RFC 3339, UTC; null for the US dollar',
  }),
};

/** Shared by the routes that reckon with what is at hand, and ask nobody. */
export const moneyRoute = {
  limit: 'read',
  responseHeaders: {
    ...marketDataHeaders,
    'x-data-source': `${marketDataHeaders['x-data-source']}; of all prices and exchange rates in the answer`,
    'x-data-time': 'When the oldest of these prices and exchange rates was made: RFC 3339, UTC',
    'x-registry-version': registryHeaders['x-registry-version'],
  },
  environment: ['REGISTRY_PATH', 'STALE_WAIT_MS'],
  registry: true,
  snapshot: true,
  memoryMb: 256,
  timeoutSeconds: 10,
  maxConcurrency: 10,
} as const;

export const noRates = `${registryUnavailable[503]}, or no exchange rate of the currency is at hand`;
