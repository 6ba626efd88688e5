import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { inputValidatorSource } from '../../shared/http/compile-schemas.ts';
import type { Route, RuntimeRoute } from '../../shared/http/route.ts';

const bodyModule = join(import.meta.dirname, '../../shared/http/middleware/body.ts');

/** Leaves out what functions do not need at run time: schemas, texts for people, and unused parts of packages. */
export function withoutUnneeded(): Plugin {
  return {
    name: 'without-unneeded',
    setup({ onLoad, onResolve }) {
      /** Replaces modules with a matching path by the given exports. */
      const replace = <Exports>(filter: RegExp, contentsOf: (exports: Exports) => string) =>
        onLoad({ filter }, async ({ path }) => ({
          contents: contentsOf(await import(pathToFileURL(path).href)),
          loader: 'js',
          resolveDir: import.meta.dirname,
        }));
      replace<{ route: Route }>(/[\\/]functions[\\/].+[\\/]route\.ts$/, ({ route }) => routeModule(route));
      replace<{ routes: readonly Route[] }>(/[\\/]functions[\\/]routes\.ts$/, ({ routes }) => {
        const addresses = routes.map(({ method, path }) => ({ method, path }));
        return `export const routes = ${JSON.stringify(addresses)};`;
      });
      replace<{ listedTools: unknown }>(
        /[\\/]functions[\\/].+[\\/]listed-tools\.ts$/,
        ({ listedTools }) => `export const listedTools = ${JSON.stringify(listedTools)};`,
      );

      onLoad({ filter: /[\\/]shared[\\/]platform[\\/]environment\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        return { contents: source.replace(/\bdescription:\s*'(?:[^'\\]|\\.)*',?/g, ''), loader: 'ts' };
      });

      // esbuild splits off a dynamic import even if its code is dropped as unused: name resolution across chains and
      // key recovery of viem, 190 KB that no function calls. A test finds bundles that still contain one.
      onResolve({ filter: /./ }, ({ path, kind, importer }) =>
        kind === 'dynamic-import' && /[\\/]node_modules[\\/]viem[\\/]/.test(importer)
          ? { path, external: true }
          : undefined,
      );

      // The MCP SDK's schema compiler, a third of its 440 KB, validates forms filled in by users. We have none, and
      // routes validate the arguments of tools with their own compiled validators.
      const noValidator = 'no-validator';
      onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => ({
        path,
        namespace: noValidator,
      }));
      onLoad({ filter: /./, namespace: noValidator }, () => ({
        contents: 'export class DefaultJsonSchemaValidator {}',
      }));
    },
  };
}

/** The tables of routes and jobs as the server needs them: data, without the schemas and texts of all domains. */
export function tablesAsData(): Plugin {
  return {
    name: 'tables-as-data',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]functions[\\/](routes|jobs)\.ts$/ }, async ({ path }) => {
        const { routes, jobs } = await import(pathToFileURL(path).href);
        const contents = routes
          ? `export const routes = ${JSON.stringify(routes.map(servedData))};`
          : `export const jobs = ${JSON.stringify(jobs)};`;
        return { contents, loader: 'js' };
      });
    },
  };
}

function servedData(route: Route) {
  const { name, method, path, timeoutSeconds, adapter, idempotent, unreadHeaders } = route;
  const { secrets, requestSecrets } = route;
  const names = Object.keys(route.responseHeaders ?? {});
  const responseHeaders = Object.fromEntries(names.map((header) => [header, {}]));
  const data = { name, method, path, timeoutSeconds, idempotent, unreadHeaders, responseHeaders };
  return { ...data, secrets, requestSecrets, ...(adapter && { adapter: {} }) };
}

/** A route's plain data, with its validator compiled. */
function routeModule(route: Route): string {
  const { name, method, path, requestsPerMinute, maxBodyBytes, hasBody, idempotent, parameters } = route;
  const { isPage, secrets, allSecrets, adapted } = route;
  const data: Omit<RuntimeRoute, 'validate' | 'readBody'> = {
    ...{ name, method, path, requestsPerMinute, maxBodyBytes, hasBody, idempotent },
    ...{ secrets, allSecrets, parameters },
    ...(isPage && { isPage }),
    ...(adapted && { adapted }),
  };
  const validator = inputValidatorSource(route).replace(
    'export default validate',
    'const compiled = validate',
  );
  const reader = hasBody ? `import { readBody } from ${JSON.stringify(bodyModule)};` : '';
  const code = `{ ...${JSON.stringify(data)}, validate: compiled, readBody: ${hasBody ? 'readBody' : 'undefined'} }`;
  return `${reader}\n${validator}\nexport const route = ${code};`;
}
