import { inputSchema } from '../../shared/http/compile-schemas.ts';
import type { Route } from '../../shared/http/route.ts';
import { type Data, type SharedTypes, sharedTypes } from './shared-types.ts';
import { type Json, jsDoc, recordOf, type Style, typeOf } from './typescript.ts';

/** The routes that the client has a method for: those with a path that answer with `data` in the envelope. */
export function methodRoutes<R extends Route>(routes: readonly R[]): readonly R[] {
  return routes.filter(({ path, envelope = true }) => path !== '$default' && envelope);
}

/** The domain and the action of a route, as the client's objects and methods are called. */
export function namesOf(name: string): { readonly domain: string; readonly action: string } {
  const [domain = '', action = ''] = name
    .split('/')
    .map((part) => part.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
  return { domain, action };
}

/**
 * The text of client/sdk/routes.ts, not formatted yet: types of each route's input and data, an object that stands in them
 * more than once as one type, the interface of the client, and the table that calls go by. Throws on a schema that it does not know how to say in TypeScript.
 */
export function sdkSource(routes: readonly Route[]): string {
  const methods = methodRoutes(routes);
  const data = new Map(methods.map((route) => [route, dataOf(route)]));
  const shared = sharedTypes([...data.values()]);
  const domains = Map.groupBy(methods, ({ name }) => namesOf(name).domain);
  const blocks = [...domains].map(
    ([domain, own]) => `readonly ${domain}: {\n${own.map(method).join('\n')}\n};`,
  );
  const tables = [...domains].map(([domain, own]) => `${domain}: {\n${own.map(entry).join('\n')}\n},`);
  return [
    '/** Generated from the route table by `npm run generate`: changes belong into the route.ts of a route. */\n' +
      "import type { Answer, DatedAnswer, RatedAnswer } from './answer.ts';\n" +
      "import type { CallOptions, IdempotentCallOptions, RouteEntry } from './request.ts';",
    '/** The function of a route; its input may be left out where nothing in it has to be given. */\n' +
      'export type Method<Input, Result, Options = CallOptions> = (...given: Record<never, never> extends Input ? [input?: Input, options?: Options] : [input: Input, options?: Options]) => Promise<Result>;',
    ...[...data].map(([route, own]) => types(route, own, shared)),
    `/** One method for each route, by domain. */\nexport interface Client {\n${blocks.join('\n')}\n}`,
    `/** What calls need of the routes at run time. */\nexport const routes: { readonly [Domain in keyof Client]: { readonly [Action in keyof Client[Domain]]: RouteEntry } } = {\n${tables.join('\n')}\n};`,
  ].join('\n\n');
}

/** `MarketdataTicker`, the beginning of the names of a route's types. */
function typeName(name: string): string {
  const { domain, action } = namesOf(name);
  return [domain, action].map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('');
}

function dataOf({ name, response }: Route): Data {
  const prefix = typeName(name);
  return { name: `${prefix}Data`, prefix, schema: recordOf(response) };
}

function types(route: Route, data: Data, shared: SharedTypes): string {
  const input = { ...inputSchema(route), additionalProperties: false };
  const written = ({ name, schema }: Pick<Data, 'name' | 'schema'>) => {
    const nameOfOther = (part: Json) => {
      const known = shared.nameOf(part);
      return known === name ? undefined : known;
    };
    return declaration(name, schema, { input: false, nameOf: nameOfOther });
  };
  try {
    return [
      declaration(`${data.prefix}Input`, input, { input: true }),
      ...[data, ...shared.firstIn(data)].map(written),
    ].join('\n\n');
  } catch (error) {
    throw new Error(`The client cannot be made for ${route.name}`, { cause: error });
  }
}

function declaration(name: string, schema: object, style: Style): string {
  const type = typeOf(schema, style);
  const isObject = 'type' in schema && type.startsWith('{');
  return isObject ? `export interface ${name} ${type}` : `export type ${name} = ${type};`;
}

function method({ responseHeaders = {}, ...route }: Route): string {
  const name = typeName(route.name);
  const options = route.idempotent ? ', IdempotentCallOptions' : '';
  const answer =
    'x-data-quality' in responseHeaders
      ? 'RatedAnswer'
      : 'x-data-time' in responseHeaders
        ? 'DatedAnswer'
        : 'Answer';
  return (
    jsDoc([`${route.summary}.`, ...(route.description ? [route.description] : [])]) +
    `readonly ${namesOf(route.name).action}: Method<${name}Input, ${answer}<${name}Data>${options}>;`
  );
}

function entry({ name, method, path, parameters, idempotent }: Route): string {
  const query = parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name);
  const fields = {
    method,
    path,
    ...(method !== 'GET' && query.length > 0 && { query }),
    ...(idempotent && { idempotent }),
  };
  return `${namesOf(name).action}: ${JSON.stringify(fields)},`;
}
