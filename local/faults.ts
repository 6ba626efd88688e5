/** The faults that `--fault` asks for: of the simulated provider, or of the source whose name is in front. */
import { isSourceName, type SourceName } from './exchanges/names.ts';
import type { Fault } from './provider/faults.ts';

export interface Faults {
  readonly provider?: Fault;
  readonly sources: Partial<Record<SourceName, Fault>>;
}

/** Reads texts such as `latency=2s` and `<source>:status=451`. Throws an Error that lists what is allowed. */
export async function readFaults(texts: readonly string[]): Promise<Faults> {
  if (texts.length === 0) return { sources: {} };
  // Loaded only when they are used.
  const [{ parseFault }, { lieNames }] = await Promise.all([
    import('./provider/faults.ts'),
    import('./exchanges/lies.ts'),
  ]);
  let faults: Faults = { sources: {} };
  for (const text of texts) {
    const at = text.indexOf(':');
    const name = text.slice(0, Math.max(at, 0));
    faults = isSourceName(name)
      ? { ...faults, sources: { ...faults.sources, [name]: parseFault(text.slice(at + 1), lieNames) } }
      : { ...faults, provider: parseFault(text) };
  }
  return faults;
}
