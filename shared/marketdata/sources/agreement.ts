/** A ticker beside the markets that are known to trade the coin. No market agrees with a price of its own. */
export interface Agreement {
  /** Markets whose price is within 2 % of the ticker's. */
  readonly agreeing: number;
  /** Markets that were looked at. */
  readonly of: number;
  /** Between the lowest and the highest of them, in percent of their median. */
  readonly spreadPercent: number;
}

/** From the JSON of a snapshot's row; null if there is none that this version can read. */
export function readAgreement(json: unknown): Agreement | null {
  if (typeof json !== 'object' || json === null) return null;
  const { agreeing, of, spreadPercent } = json as Partial<Record<keyof Agreement, unknown>>; // checked below
  const isOne = typeof agreeing === 'number' && typeof of === 'number' && typeof spreadPercent === 'number';
  return isOne ? { agreeing, of, spreadPercent } : null;
}
