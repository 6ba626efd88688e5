import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { inputValidatorSource } from '../../shared/http/compile-schemas.ts';
import type { Route, RuntimeRoute } from '../../shared/http/route.ts';

const bodyModule = join(import.meta.dirname, '../../shared/http/middleware/body.ts');

/**
 * Replaces each `route.ts` by its plain data and a compiled validator, the table by methods and paths, and the list of
 * an assistant's tools by its JSON.
 */
export function compiledRoutes(): Plugin {
  return {
    name: 'compiled-routes',
    setup(build) {
      build.onLoad({ filter: /[\\/]functions[\\/].+[\\/]route\.ts$/ }, async ({ path }) => {
        const { route } = (await import(pathToFileURL(path).href)) as { route: Route };
        return { contents: routeModule(route), loader: 'js', resolveDir: import.meta.dirname };
      });
      build.onLoad({ filter: /[\\/]functions[\\/]routes\.ts$/ }, async ({ path }) => {
        const { routes } = (await import(pathToFileURL(path).href)) as { routes: readonly Route[] };
        const addresses = routes.map(({ method, path }) => ({ method, path }));
        return { contents: `export const routes = ${JSON.stringify(addresses)};`, loader: 'js' };
      });
      build.onLoad({ filter: /[\\/]functions[\\/].+[\\/]listed-tools\.ts$/ }, async ({ path }) => {
        const { listedTools } = (await import(pathToFileURL(path).href)) as { listedTools: unknown };
        return { contents: `export const listedTools = ${JSON.stringify(listedTools)};`, loader: 'js' };
      });
    },
  };
}

function routeModule(route: Route): string {
  const { name, method, path, requestsPerMinute, maxBodyBytes, hasBody, idempotent, parameters } = route;
  const { isPage, secrets, allSecrets, adapted } = route;
  const data: Omit<RuntimeRoute, 'validate' | 'readBody'> = {
    name,
    method,
    path,
    requestsPerMinute,
    maxBodyBytes,
    hasBody,
    idempotent,
    secrets,
    allSecrets,
    parameters,
    ...(isPage && { isPage }),
    ...(adapted && { adapted }),
  };
  const validator = inputValidatorSource(route).replace(
    'export default validate',
    'const compiled = validate',
  );
  const [reader, readBody] = hasBody
    ? [`import { readBody } from ${JSON.stringify(bodyModule)};`, 'readBody']
    : ['', 'undefined'];
  const code = `{ ...${JSON.stringify(data)}, validate: compiled, readBody: ${readBody} }`;
  return `${reader}\n${validator}\nexport const route = ${code};`;
}
