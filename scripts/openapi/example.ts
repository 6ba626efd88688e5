import type { Route } from '../../shared/http/route.ts';

/** Path and query of a route's example request. */
export function exampleUrl({
  path,
  parameters,
  example = {},
}: Pick<Route, 'path' | 'parameters' | 'example'>): string {
  const given = parameters.filter(({ name }) => name in example);
  const filled = path.replace(/\{(.+?)\}/g, (_, name: string) => encodeURIComponent(String(example[name])));
  const query = new URLSearchParams(
    Object.fromEntries(
      given.filter((parameter) => parameter.in === 'query').map(({ name }) => [name, String(example[name])]),
    ),
  );
  return query.size > 0 ? `${filled}?${query}` : filled;
}

/** The body of a route's example request. */
export function exampleBody({ parameters, example = {} }: Pick<Route, 'parameters' | 'example'>) {
  const names = parameters.filter(({ in: place }) => place === 'body').map(({ name }) => name);
  return Object.fromEntries(Object.entries(example).filter(([name]) => names.includes(name)));
}
