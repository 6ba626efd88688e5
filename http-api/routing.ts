/** Finds the route of a request as an HTTP API does: full match, then parameters, then `{proxy+}`, then `$default`. */

export interface RouteMatch<R> {
  readonly route: R;
  /** Path parameters, decoded once; undefined if the route has none. */
  readonly parameters: Record<string, string> | undefined;
}

/** Maps method and raw (still encoded) path to the most specific route. */
export function createRouter<R extends { readonly key: string }>(
  routes: readonly R[],
): (method: string, rawPath: string) => RouteMatch<R> | undefined {
  const fallback = routes.find(({ key }) => key === '$default');
  const patterns = routes.filter((route) => route !== fallback).map(patternOf);
  patterns.sort((a, b) => (a.rank < b.rank ? -1 : Number(a.rank > b.rank)));

  return (method, rawPath) => {
    const path = rawPath.split('/').map(encodedOnce).join('/');
    for (const { route, own, names, pattern } of patterns) {
      const match = own === method || own === 'ANY' ? pattern.exec(path) : null;
      if (!match) continue;
      const values = match.slice(1).map((value) => value.split('/').map(decodeOnce).join('/'));
      const parameters = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
      return { route, parameters: names.length > 0 ? parameters : undefined };
    }
    return fallback && { route: fallback, parameters: undefined };
  };
}

function patternOf<R extends { readonly key: string }>(route: R) {
  const [own = '', path = ''] = route.key.split(' ');
  const names: string[] = [];
  let rank = '';
  const segments = path.split('/').map((segment) => {
    const [, name, isRest] = /^\{(.+?)(\+?)\}$/.exec(segment) ?? [];
    rank += name === undefined ? 0 : isRest ? 2 : 1;
    if (name === undefined) return encodeURIComponent(segment).replace(/[.*()]/g, '\\$&');
    names.push(name);
    return isRest ? '(.+)' : '([^/]+)';
  });
  rank += own === 'ANY' ? ' 1' : ' 0';
  return { route, own, names, rank, pattern: new RegExp(`^${segments.join('/')}$`) };
}

/** The same name may be encoded in several ways. */
function encodedOnce(text: string): string {
  return encodeURIComponent(decodeOnce(text));
}

/** Percent-decodes once; invalid percent-encoding or UTF-8 stays unchanged, for the function to reject. */
export function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
