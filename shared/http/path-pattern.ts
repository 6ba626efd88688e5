/** Route paths in API Gateway's notation: `/api/coins/{id}`. */

export function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
}

/** The values of a pattern's parameters in a path, by name; undefined for another path. Empty values do not match. */
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

/** The entry for a path in a table by patterns, with the values of its parameters: fixed paths come first. */
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
