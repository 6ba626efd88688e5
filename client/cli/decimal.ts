/** A decimal without rounding: `units` times ten to the power of minus `scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const MAX_DIGITS = 100;
const DIVISION_SCALE = 18;
const pattern = /^(\d+)(?:\.(\d+))?$/;

/** Of digits with a point, without sign and exponent; undefined for anything else, and for more than 100 digits. */
export function decimalOf(text: string): Decimal | undefined {
  const [, whole, fraction = ''] = pattern.exec(text) ?? [];
  if (whole === undefined || whole.length + fraction.length > MAX_DIGITS) return undefined;
  return shortest({ units: BigInt(whole + fraction), scale: fraction.length });
}

export function textOf({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = scale === 0 ? '' : `.${digits.slice(-scale)}`;
  return `${units < 0n ? '-' : ''}${whole}${fraction}`;
}

export function plus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return shortest({ units: unitsAt(a, scale) + unitsAt(b, scale), scale });
}

export function minus(a: Decimal, b: Decimal): Decimal {
  return plus(a, { ...b, units: -b.units });
}

export function times(a: Decimal, b: Decimal): Decimal {
  return shortest({ units: a.units * b.units, scale: a.scale + b.scale });
}

/** To 18 decimals, half away from zero. */
export function dividedBy(a: Decimal, b: Decimal): Decimal {
  const numerator = a.units * 10n ** BigInt(DIVISION_SCALE + b.scale + 1);
  const tenfold = numerator / (b.units * 10n ** BigInt(a.scale));
  const half = tenfold < 0n ? -5n : 5n;
  return shortest({ units: (tenfold + half) / 10n, scale: DIVISION_SCALE });
}

function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}

function shortest({ units, scale }: Decimal): Decimal {
  let [left, decimals] = [units, scale];
  while (decimals > 0 && left % 10n === 0n) {
    left /= 10n;
    decimals -= 1;
  }
  return { units: left, scale: decimals };
}
