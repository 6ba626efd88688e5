/** The faults that `--fault` asks for: of the source whose name is in front, or of the simulated provider. */
import { isSourceName, type SourceName, sourceNames } from './exchanges/names.ts';
import type { Fault } from './provider/faults.ts';
import { providerName } from './provider-choice.ts';

export interface Faults {
  readonly provider?: Fault;
  readonly sources: Partial<Record<SourceName, Fault>>;
}

/**
 * Reads texts such as `latency=2s` and `<name>:status=451`, one of each name. Throws an Error that says what is wrong,
 * or lists what is allowed.
 */
export async function readFaults(texts: readonly string[]): Promise<Faults> {
  if (texts.length === 0) return { sources: {} };
  // Loaded only when they are used.
  const [{ parseFault }, { liarOf }] = await Promise.all([
    import('./provider/faults.ts'),
    import('./exchanges/liar.ts'),
  ]);
  const names = [providerName, ...sourceNames];
  let provider: Fault | undefined;
  const sources: Partial<Record<SourceName, Fault>> = {};
  for (const text of texts) {
    const at = text.indexOf(':');
    const name = text.slice(0, Math.max(at, 0));
    const fault = text.slice(at + 1);
    if (isSourceName(name)) {
      if (sources[name]) throw twoOf(name);
      sources[name] = parseFault(fault, liarOf(name).names);
      continue;
    }
    const isProvider = name === providerName;
    // Any other colon is in the path of a fault without a name.
    if (!isProvider && /^[a-z]+$/.test(name)) {
      throw new Error(`No source "${name}". Allowed before the colon: ${names.join(', ')}`);
    }
    if (provider) throw twoOf(providerName);
    provider = parseFault(isProvider ? fault : text);
  }
  return { ...(provider && { provider }), sources };
}

function twoOf(name: string): Error {
  return new Error(`Two faults of ${name}: one at a time`);
}
