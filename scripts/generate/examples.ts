/** The example request of each route, and a service's response to it. */
import type { Route } from '../../shared/http/route.ts';

type Requested = Pick<Route, 'path' | 'parameters' | 'example'>;

/** Path and query of a route's example request. */
export function exampleUrl({ path, parameters, example }: Requested): string {
  const filled = path.replace(/\{(.+?)\}/g, (_, name: string) => encodeURIComponent(String(example[name])));
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters)
    if (place === 'query' && name in example) query.set(name, String(example[name]));
  return query.size > 0 ? `${filled}?${query}` : filled;
}

/** The body of a route's example request. */
export function exampleBody({ parameters, example }: Pick<Route, 'parameters' | 'example'>) {
  const names = parameters.filter(({ in: place }) => place === 'body').map(({ name }) => name);
  return Object.fromEntries(Object.entries(example).filter(([name]) => names.includes(name)));
}

/**
 * The `data` that a running service returns for each example request, by the route's name, for routes with the
 * envelope. A path parameter that only an earlier response of the protocol contains, such as a request's id, is taken
 * from there. Throws if a request fails.
 */
export async function exampleAnswers(
  url: string,
  routes: readonly Route[],
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const route of routes) {
    if (route.path === '$default' || route.envelope === false) continue;
    const [protocol] = route.name.split('/');
    const earlier = Object.entries(answers).filter(([name]) => name.startsWith(`${protocol}/`));
    const known = Object.assign({}, ...earlier.map(([, data]) => data));
    const response = await fetch(url + exampleUrl({ ...route, example: { ...known, ...route.example } }), {
      method: route.method,
      ...(route.hasBody && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(exampleBody(route)),
      }),
    });
    const answer = (await response.json()) as { success: boolean; data?: unknown; error?: string };
    if (!answer.success)
      throw new Error(`The example of ${route.name} answers ${response.status}: ${answer.error}`);
    answers[route.name] = answer.data;
  }
  return answers;
}
