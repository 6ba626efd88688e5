import { ApiError } from '../../../shared/http/errors.ts';
import { segmentsOf, valuesIn } from '../../../shared/http/path-pattern.ts';

type RouteAddress = Readonly<Record<'method' | 'path', string>>;

/** The error for a request that matches no route: because of its method, a missing path parameter, or its path. */
export function refusalFor(table: readonly RouteAddress[], method: string, path: string): ApiError {
  const routes = table.filter((route) => route.path.startsWith('/')); // all but `$default` itself
  const segments = segmentsOf(path);
  const methods = routes
    .filter((route) => valuesIn(segmentsOf(route.path), segments))
    .flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  // A deployed route with this method would have received the request.
  if (methods.length > 0 && !methods.includes(method)) {
    const allow = [...new Set(methods)].sort().join(', ');
    const message = `Method not allowed: ${method} ${shown(path)}; allowed: ${allow}`;
    return new ApiError(405, message, { headers: { allow } });
  }
  const parameter = methods.length === 0 && missingParameter(routes, method, segments);
  if (parameter) return new ApiError(400, `Missing parameter: ${parameter}`);
  return ApiError.notFound(`No such route: ${method} ${shown(path)}`);
}

/** The name of a route's last path parameter, if only that is empty or missing. */
function missingParameter(
  routes: readonly RouteAddress[],
  method: string,
  segments: readonly string[],
): string | undefined {
  const given = segments.at(-1) === '' ? segments.slice(0, -1) : segments;
  const route = routes.find((candidate) => {
    const pattern = segmentsOf(candidate.path);
    return (
      candidate.method === method &&
      /^\{[^+]+\}$/.test(pattern.at(-1) ?? '') && // `{path+}` does not count
      valuesIn(pattern.slice(0, -1), given) !== undefined
    );
  });
  return /\{([^{}]+)\}$/.exec(route?.path ?? '')?.[1];
}

const shown = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path);
