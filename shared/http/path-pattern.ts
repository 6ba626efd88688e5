/** Paths as API Gateway writes those of routes: `/api/coins/{id}`. */

export function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
}

/** The texts in the places of a pattern's parameters, by their names; undefined for another path. None is empty. */
export function valuesIn(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    const [, name] = /^\{(.+)\}$/.exec(part) ?? [];
    if (name === undefined ? part !== segment : segment === '') return undefined;
    if (name !== undefined) values[name] = segment;
  }
  return values;
}

/** What a path belongs to, of a table by patterns, with the values of its parameters: a fixed path comes before others. */
export function findByPath<T>(
  table: Readonly<Record<string, T>>,
  path: string,
): { readonly found: T; readonly values: Record<string, string> } | undefined {
  const segments = segmentsOf(path);
  const matches = Object.entries(table).flatMap(([pattern, found]) => {
    const values = valuesIn(segmentsOf(pattern), segments);
    return values ? [{ found, values }] : [];
  });
  return matches.sort((a, b) => Object.keys(a.values).length - Object.keys(b.values).length)[0];
}
