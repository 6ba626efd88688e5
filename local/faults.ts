/** The faults that `--fault` asks for: of the source whose name is in front, or of the simulated provider. */
import { isSourceName, type SourceName } from './exchanges/names.ts';
import type { Fault } from './provider/faults.ts';
import { providerName } from './provider-choice.ts';

export interface Faults {
  readonly provider?: Fault;
  readonly sources: Partial<Record<SourceName, Fault>>;
}

/** Reads texts such as `latency=2s` and `<name>:status=451`. Throws an Error that lists what is allowed. */
export async function readFaults(texts: readonly string[]): Promise<Faults> {
  if (texts.length === 0) return { sources: {} };
  // Loaded only when they are used.
  const [{ parseFault }, { liarOf }] = await Promise.all([
    import('./provider/faults.ts'),
    import('./exchanges/liar.ts'),
  ]);
  let faults: Faults = { sources: {} };
  for (const text of texts) {
    const at = text.indexOf(':');
    const name = text.slice(0, Math.max(at, 0));
    const fault = text.slice(at + 1);
    if (isSourceName(name))
      faults = { ...faults, sources: { ...faults.sources, [name]: parseFault(fault, liarOf(name).names) } };
    else faults = { ...faults, provider: parseFault(name === providerName ? fault : text) };
  }
  return faults;
}
