import { count } from '../../platform/metrics.ts';

/** Why data are refused; counted as `Implausible<reason>`, never by coin. */
export const reasons = [
  'Identity',
  'Price',
  'Time',
  'Older',
  'Text',
  'Candle',
  'Empty',
  'Drop',
  'Jump',
] as const;
export type Reason = (typeof reasons)[number];

/** Data that were read without a fault and cannot be true. The message says what, without the provider's name. */
export class Implausible extends Error {
  override readonly name = 'Implausible';
  readonly reason: Reason;

  constructor(reason: Reason, what: string) {
    super(what);
    this.reason = reason;
  }
}

/** For whoever lets data pass or not: counts what is refused, and throws it on. */
export function counted(error: unknown): unknown {
  if (error instanceof Implausible) count(`Implausible${error.reason}`);
  return error;
}
