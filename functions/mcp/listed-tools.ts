import type { ListToolsResult } from '@modelcontextprotocol/server';
import { inputSchema } from '../../shared/http/compile-schemas.ts';
import type { Route } from '../../shared/http/route.ts';
import { tools } from './tools.ts';

/** The answer to `tools/list`, with the schemas of the routes. The build puts its JSON in the place of this module. */
export const listedTools: ListToolsResult['tools'] = plain(
  tools.map(({ name, description, route }) => ({
    name,
    description,
    inputSchema: { ...inputSchema(route), additionalProperties: false },
    outputSchema: outputOf(route),
    annotations: { readOnlyHint: true },
  })),
);

function outputOf({ response }: Route) {
  return {
    type: 'object' as const,
    properties: {
      // Who reads a figure need not know how it is checked.
      data: JSON.parse(JSON.stringify(response, (name, part) => (name === 'pattern' ? undefined : part))),
      source: { type: 'string' },
      quality: { type: 'string', description: 'exact, sampled, derived, disputed or stale' },
      dataTime: { type: 'string', description: 'When the source made it: RFC 3339, UTC' },
    },
    required: ['data'],
  };
}

/** Schemas as plain JSON: without the markers that their builder keeps on them, and in few words. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_name, part) => (part?.anyOf ? brief(part) : part));
}

interface Choice {
  readonly anyOf: readonly { readonly type?: unknown; readonly enum?: unknown }[];
}

/** `null` beside one other type, as a list of types: every conversation carries all schemas. */
function brief(schema: Choice): object {
  const { anyOf, ...rest } = schema;
  const [some, none, ...others] = anyOf;
  const isNullable = none?.type === 'null' && others.length === 0;
  if (!isNullable || typeof some?.type !== 'string' || some.enum) return schema;
  return { ...some, ...rest, type: [some.type, 'null'] };
}
