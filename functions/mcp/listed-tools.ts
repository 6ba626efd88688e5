import type { ListToolsResult } from '@modelcontextprotocol/server';
import type { TObject } from 'typebox';
import type { Route } from '../../shared/http/route.ts';
import { tools } from './tools.ts';

type Schemas = Partial<Pick<Route, 'pathParameters' | 'query' | 'body'>> & Pick<Route, 'response'>;

/** The answer to `tools/list`, with the schemas of the routes. The build puts its JSON in the place of this module. */
export const listedTools: ListToolsResult['tools'] = plain(
  tools.map(({ name, description, route }) => ({
    name,
    description,
    inputSchema: inputOf(route),
    outputSchema: outputOf(route),
    annotations: { readOnlyHint: true },
  })),
);

function inputOf({ pathParameters, query, body }: Schemas) {
  const places = [pathParameters, query, body].filter((schema): schema is TObject => schema !== undefined);
  return {
    type: 'object' as const,
    properties: Object.assign({}, ...places.map(({ properties }) => properties)),
    required: places.flatMap(({ required = [] }) => required),
    additionalProperties: false,
  };
}

function outputOf({ response }: Schemas) {
  return {
    type: 'object' as const,
    properties: {
      data: response,
      source: { type: 'string', description: 'Who the data comes from' },
      quality: {
        type: 'string',
        description: 'exact, sampled, derived, disputed or stale; a stale price is not a current one',
      },
      dataTime: { type: 'string', description: 'When the source made the data: RFC 3339, UTC' },
    },
    required: ['data'],
  };
}

/** Schemas as plain JSON: without the markers that their builder keeps on them. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
