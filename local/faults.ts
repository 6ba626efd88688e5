/** The faults that `--fault` asks for: of the source whose name is in front, or of the provider. */
import { providerName } from './provider-choice.ts';
import type { Fault } from './simulated/faults.ts';
import { isSourceName, protocols, type SourceName, sourceNames } from './simulated/protocols.ts';

export type Faults = Partial<Record<SourceName, Fault>>;

/**
 * Reads texts such as `latency=2s` and `<name>:status=451`, one of each name. Throws an Error that says what is wrong,
 * or lists what is allowed.
 */
export async function readFaults(texts: readonly string[]): Promise<Faults> {
  if (texts.length === 0) return {};
  // Loaded only when they are used.
  const [{ parseFault }, { lieNames }] = await Promise.all([
    import('./simulated/faults.ts'),
    import('./simulated/lies.ts'),
  ]);
  const faults: Faults = {};
  for (const text of texts) {
    const at = text.indexOf(':');
    const prefix = text.slice(0, Math.max(at, 0));
    const isNamed = isSourceName(prefix);
    // Any other colon is in the path of a fault without a name.
    if (!isNamed && /^[a-z]+$/.test(prefix)) {
      throw new Error(`No source "${prefix}". Allowed before the colon: ${sourceNames.join(', ')}`);
    }
    const name = isNamed ? prefix : (providerName as SourceName); // it is simulated
    if (faults[name]) throw new Error(`Two faults of ${name}: one at a time`);
    faults[name] = parseFault(isNamed ? text.slice(at + 1) : text, lieNames(protocols[name].subject));
  }
  return faults;
}
