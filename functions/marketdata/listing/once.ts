import type { Snapshot } from '../../../shared/marketdata/store/snapshot.ts';

/** The same, made once for each snapshot, and forgotten with it. */
export function oncePerSnapshot<Made extends object>(
  make: (snapshot: Snapshot) => Made,
): (snapshot: Snapshot) => Made {
  const all = new WeakMap<Snapshot, Made>();
  return (snapshot) => {
    const made = all.get(snapshot) ?? make(snapshot);
    all.set(snapshot, made);
    return made;
  };
}
