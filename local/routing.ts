/** Finds the route of a request as an HTTP API does: full match, then parameters, then `{proxy+}`, then `$default`. */

export interface RouteMatch<R> {
  readonly route: R;
  /** Path parameters, decoded once; undefined when the route has none. */
  readonly parameters: Record<string, string> | undefined;
}

interface Segment {
  readonly kind: 'text' | 'parameter' | 'greedy';
  readonly value: string;
}

interface Pattern<R> {
  readonly route: R;
  readonly method: string;
  readonly segments: readonly Segment[];
}

const precedence = { text: 0, parameter: 1, greedy: 2 } as const;

/** A function from method and raw (still encoded) path to the route that takes it, most specific first. */
export function createRouter<R extends { readonly key: string }>(
  routes: readonly R[],
): (method: string, rawPath: string) => RouteMatch<R> | undefined {
  const fallback = routes.find(({ key }) => key === '$default');
  const patterns = routes.filter((route) => route !== fallback).map(parsePattern);
  patterns.sort(bySpecificity);

  return (method, rawPath) => {
    const path = rawPath.split('/').slice(1);
    for (const pattern of patterns) {
      if (pattern.method !== method && pattern.method !== 'ANY') continue;
      const parameters = match(pattern.segments, path);
      if (!parameters) continue;
      const hasParameters = Object.keys(parameters).length > 0;
      return { route: pattern.route, parameters: hasParameters ? parameters : undefined };
    }
    return fallback && { route: fallback, parameters: undefined };
  };
}

function parsePattern<R extends { readonly key: string }>(route: R): Pattern<R> {
  const [method = '', path = ''] = route.key.split(' ');
  const segments = path
    .split('/')
    .slice(1)
    .map((text): Segment => {
      const name = /^\{(.+?)(\+?)\}$/.exec(text);
      if (!name?.[1]) return { kind: 'text', value: text };
      return { kind: name[2] ? 'greedy' : 'parameter', value: name[1] };
    });
  return { route, method, segments };
}

function bySpecificity(a: Pattern<unknown>, b: Pattern<unknown>): number {
  for (const [index, segment] of a.segments.entries()) {
    const other = b.segments[index];
    if (!other) break;
    const difference = precedence[segment.kind] - precedence[other.kind];
    if (difference !== 0) return difference;
  }
  return Number(a.method === 'ANY') - Number(b.method === 'ANY');
}

/** The parameters when the path fits, which are none for a path without any. */
function match(segments: readonly Segment[], path: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, { kind, value }] of segments.entries()) {
    const given = path[index];
    if (kind === 'greedy') {
      const rest = path.slice(index).map(decodeOnce).join('/');
      if (rest === '') return undefined;
      parameters[value] = rest;
      return parameters;
    }
    if (given === undefined) return undefined;
    if (kind === 'parameter' && given !== '') parameters[value] = decodeOnce(given);
    else if (kind !== 'text' || decodeOnce(given) !== value) return undefined;
  }
  return path.length === segments.length ? parameters : undefined;
}

/** Percent-decodes once; a text that is not percent-encoded UTF-8 stays as it is, for the function to refuse. */
export function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
