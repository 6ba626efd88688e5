import { lieNames } from './lies.ts';

/** The ways in which the simulated provider can fail, each with its default value. */
const kinds = {
  latency: { allowed: 'latency=2s', pattern: /^\d+(\.\d+)?m?s$/, fallback: null },
  status: { allowed: 'status=503', pattern: /^[45]\d\d$/, fallback: null },
  limit: { allowed: 'limit', pattern: null, fallback: null },
  hang: { allowed: 'hang', pattern: null, fallback: null },
  garbage: { allowed: 'garbage', pattern: null, fallback: null },
  html: { allowed: 'html[=403|200]', pattern: /^(403|200)$/, fallback: '403' },
  empty: { allowed: 'empty', pattern: null, fallback: null },
  drop: { allowed: 'drop', pattern: null, fallback: null },
  truncate: { allowed: 'truncate', pattern: null, fallback: null },
  drip: { allowed: 'drip[=100ms]', pattern: /^\d+(\.\d+)?m?s$/, fallback: '100ms' },
  redirect: {
    allowed: 'redirect=elsewhere|self|other',
    pattern: /^(elsewhere|self|other)$/,
    fallback: null,
  },
  huge: { allowed: 'huge', pattern: null, fallback: null },
  wrongshape: { allowed: 'wrongshape', pattern: null, fallback: null },
  /** Which there are is the protocol's affair. */
  lie: { allowed: 'lie', pattern: /^[a-z]+$/, fallback: null },
} as const;

export type FaultKind = keyof typeof kinds;

/** One way to fail, and the requests that it applies to. */
export interface Fault {
  readonly kind: FaultKind;
  /** The text after `=`: a duration, a status, a target, a lie; empty for a kind that takes none. */
  readonly value: string;
  /** Number of requests; `Infinity` for all. */
  readonly times: number;
  /** Part of the path and query, as sent, that a request must contain; empty for every request. */
  readonly path: string;
}

function allowed(lies: readonly string[]): string {
  const texts = Object.values(kinds).map((kind) => kind.allowed);
  return `${texts.join(', ')}=${lies.join('|')}`; // the last kind is the lie
}

/**
 * Reads `<kind>[=value][xN][@path]`, such as `status=503x1@/tickers`: fail the next N requests whose path and query
 * contain the text behind `@`. Throws an Error that lists what is allowed. A protocol has its own lies; the provider's
 * unless told.
 */
export function parseFault(text: string, lies: readonly string[] = lieNames): Fault {
  const [, name = '', value, times, path = ''] =
    /^([a-z]+?)(?:=([a-z0-9.]+?))?(?:x([1-9]\d*))?(?:@(.+))?$/.exec(text.trim()) ?? [];
  const kind = isKind(name) ? kinds[name] : undefined;
  const given = value ?? kind?.fallback ?? '';
  const isAllowed = kind && (kind.pattern?.test(given) ?? value === undefined);
  if (!isKind(name) || !isAllowed || (name === 'lie' && !lies.includes(given))) {
    throw new Error(
      `Bad fault "${text}". Allowed: ${allowed(lies)}; each may end with xN (the next N requests) and @part-of-the-path`,
    );
  }
  return { kind: name, value: given, times: times === undefined ? Infinity : Number(times), path };
}

function isKind(name: string): name is FaultKind {
  return Object.hasOwn(kinds, name);
}

/** A duration such as `2s` or `500ms` in milliseconds. */
export function milliseconds(duration: string): number {
  return Number.parseFloat(duration) * (duration.endsWith('ms') ? 1 : 1000);
}

/** The current fault, if any, and the number of requests left for it. */
export interface FaultSwitch {
  /** Sets the fault, in place of the one before; `null` or an empty text means none. Throws on a bad text. */
  set(fault: Fault | string | null): void;
  /** The fault for a request with this path and query, which is counted. */
  take(url: string): Fault | null;
}

export function createFaultSwitch(lies: readonly string[]): FaultSwitch {
  let current: Fault | null = null;
  let remaining = 0;
  return {
    set(fault) {
      current = typeof fault === 'string' ? (fault.trim() === '' ? null : parseFault(fault, lies)) : fault;
      remaining = current?.times ?? 0;
    },
    take(url) {
      if (!current || remaining < 1 || !url.includes(current.path)) return null;
      remaining -= 1;
      return current;
    },
  };
}
