/** Codes of Node for a machine without a network. */
const OFFLINE = ['ENETUNREACH', 'ENETDOWN', 'EAI_AGAIN'];

export interface NetworkFault {
  /** Completes a sentence: `this machine is offline`. */
  readonly text: string;
  /** True if the machine has no network, whatever the service does. */
  readonly isOffline: boolean;
}

/**
 * The reason why no service was reached, in plain words; undefined if only the error's own text says it. `isOffline` is
 * the front end's own knowledge.
 */
export function networkFault(thrown: unknown, isOffline = false): NetworkFault | undefined {
  const { code, hostname } = faultIn(thrown) ?? {};
  if (isOffline || (code !== undefined && OFFLINE.includes(code))) {
    const detail = code === undefined ? '' : ` (${code})`;
    return { text: `this machine is offline, or its network is down${detail}`, isOffline: true };
  }
  if (code === 'ENOTFOUND') {
    const text = `no machine has the name ${hostname ?? 'of the service'}, or this one is offline (${code})`;
    return { text, isOffline: false };
  }
  return undefined;
}

interface Fault {
  readonly code: string;
  readonly hostname: string | undefined;
}

/** The first error with a code among an error's causes; of a name with two addresses each has its own. */
function faultIn(thrown: unknown): Fault | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const hostname = 'hostname' in thrown && typeof thrown.hostname === 'string' ? thrown.hostname : undefined;
  if ('code' in thrown && typeof thrown.code === 'string') return { code: thrown.code, hostname };
  const inner: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown.cause];
  return inner.map(faultIn).find((fault) => fault !== undefined);
}
