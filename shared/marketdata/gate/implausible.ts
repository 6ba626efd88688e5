import { count } from '../../platform/metrics.ts';

/** Why data are refused. */
export type Reason =
  | 'Identity'
  | 'Price'
  | 'Figure'
  | 'Time'
  | 'Older'
  | 'Text'
  | 'Candle'
  | 'Empty'
  | 'Drop'
  | 'Jump';

/**
 * Data that were read without a fault and cannot be true. The message says what, without the provider's name. To make
 * one is to count it, as `Implausible<reason>` and never by coin.
 */
export class Implausible extends Error {
  override readonly name = 'Implausible';

  constructor(reason: Reason, what: string) {
    super(what);
    count(`Implausible${reason}`);
  }
}
