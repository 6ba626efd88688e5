/** client/sdk/routes.ts from the route table. */
import { inputSchema } from '../../shared/http/compile-schemas.ts';
import type { Route } from '../../shared/http/route.ts';
import { formatted, type Json, jsDoc, recordOf, type Style, typeOf, withoutNotes } from './typescript.ts';

export const sdkFile = 'client/sdk/routes.ts';

/** The routes with a client method: those with a path that return `data` in the envelope. */
export function methodRoutes<R extends Route>(routes: readonly R[]): readonly R[] {
  return routes.filter(({ path, envelope = true }) => path !== '$default' && envelope);
}

/** A route's domain and action, which name the client's objects and methods. */
export function namesOf(name: string): { readonly domain: string; readonly action: string } {
  const [domain = '', action = ''] = name
    .split('/')
    .map((part) => part.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
  return { domain, action };
}

/**
 * The text of the file: types of each route's input and data, the client's interface, and the table for calls. An
 * object that is also a route's data uses that type's name. Throws for a schema that TypeScript cannot express.
 */
export function sdkSource(routes: readonly Route[]): string {
  const methods = methodRoutes(routes);
  const names = new Map<string, string>();
  for (const { name, response } of methods) {
    const { type, properties } = recordOf(response);
    const key = keyOf(recordOf(response));
    if (type === 'object' && properties && !names.has(key)) names.set(key, `${typeName(name)}Data`);
  }
  const domains = Map.groupBy(methods, ({ name }) => namesOf(name).domain);
  const blocks = [...domains].map(
    ([domain, own]) => `readonly ${domain}: {\n${own.map(method).join('\n')}\n};`,
  );
  const tables = [...domains].map(([domain, own]) => `${domain}: {\n${own.map(entry).join('\n')}\n},`);
  const source = [
    '/** Generated from the route table by `npm run generate`: changes belong into the route.ts of a route. */\n' +
      "import type { Answer, DatedAnswer, RatedAnswer } from './answer.ts';\n" +
      "import type { CallOptions, IdempotentCallOptions, RouteEntry } from './request.ts';",
    '/** The function of a route; its input may be left out where nothing in it has to be given. */\n' +
      'export type Method<Input, Result, Options = CallOptions> = (...given: Record<never, never> extends Input ? [input?: Input, options?: Options] : [input: Input, options?: Options]) => Promise<Result>;',
    ...methods.map((route) => types(route, names)),
    `/** One method for each route, by domain. */\nexport interface Client {\n${blocks.join('\n')}\n}`,
    `/** What calls need of the routes at run time. */\nexport const routes: { readonly [Domain in keyof Client]: { readonly [Action in keyof Client[Domain]]: RouteEntry } } = {\n${tables.join('\n')}\n};`,
  ];
  return formatted(source.join('\n\n'), sdkFile);
}

/** Objects share a type if their schemas are equal apart from their own descriptions. */
function keyOf(schema: Json): string {
  return JSON.stringify(withoutNotes(schema));
}

/** `MarketdataTicker`, the prefix of a route's type names. */
function typeName(name: string): string {
  const { domain, action } = namesOf(name);
  return [domain, action].map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('');
}

function types(route: Route, names: ReadonlyMap<string, string>): string {
  const prefix = typeName(route.name);
  const input = { ...inputSchema(route), additionalProperties: false };
  const nameOf = (part: Json) => {
    const name = names.get(keyOf(part));
    return name === `${prefix}Data` ? undefined : name;
  };
  try {
    return [
      declaration(`${prefix}Input`, input, { input: true }),
      declaration(`${prefix}Data`, route.response, { input: false, nameOf }),
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

function method({ name, summary, description = '', idempotent, responseHeaders = {} }: Route): string {
  const prefix = typeName(name);
  const options = idempotent ? ', IdempotentCallOptions' : '';
  const isDated = 'x-data-time' in responseHeaders;
  const answer = 'x-data-quality' in responseHeaders ? 'RatedAnswer' : isDated ? 'DatedAnswer' : 'Answer';
  return (
    jsDoc(`${summary}.\n${description}`) +
    `readonly ${namesOf(name).action}: Method<${prefix}Input, ${answer}<${prefix}Data>${options}>;`
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
