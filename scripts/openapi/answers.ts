import type { Route } from '../../shared/http/route.ts';
import { exampleBody, exampleUrl } from './example.ts';

/**
 * The `data` of each route's example request by the route's name, if it has the envelope, asked of a service that is running. A path
 * parameter that only an earlier answer of the protocol can tell, such as a request's id, is taken from there.
 * Throws if one is not answered with success.
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
    const example = { ...known, ...route.example };
    const response = await fetch(url + exampleUrl({ ...route, example }), {
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
