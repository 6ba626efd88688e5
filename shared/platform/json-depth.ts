/**
 * True if lists and objects are nested more than `levels` deep in a JSON value; a flat list has one level. Level by
 * level instead of recursively: what it is for would overflow the call stack, as it does that of JSON.stringify.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let outer = [value].filter(isContainer);
  for (let level = 1; outer.length > 0; level += 1) {
    if (level > levels) return true;
    const inner: object[] = [];
    for (const container of outer) {
      for (const child of Object.values(container)) if (isContainer(child)) inner.push(child);
    }
    outer = inner;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
