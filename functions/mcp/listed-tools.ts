import type { ListToolsResult } from '@modelcontextprotocol/server';
import { inputSchema } from '../../shared/http/compile-schemas.ts';
import { tools } from './tools.ts';

/**
 * One schema for all tools: the routes' own schemas are in docs/openapi.json, and would make the list, which every conversation
 * carries, three times as long.
 */
const outputSchema = {
  type: 'object' as const,
  properties: {
    data: { type: 'object' },
    source: { type: 'string' },
    quality: { enum: ['exact', 'sampled', 'derived', 'disputed', 'stale'] },
    dataTime: { type: 'string', description: 'When the source made it: RFC 3339, UTC' },
  },
  required: ['data'],
};

/** Assistants write numbers; routes take amounts as text. */
const AMOUNT = {
  type: ['number', 'string'],
  description: 'Not negative; a text of digits if it has more than 15 of them',
};

/** The response to `tools/list`. The build replaces this module with its JSON. */
export const listedTools: ListToolsResult['tools'] = tools.map(({ name, description, route }) => ({
  name,
  description,
  inputSchema: briefly({ ...inputSchema(route), additionalProperties: false }),
  outputSchema,
  annotations: { readOnlyHint: true },
}));

/** A route's input as plain JSON, without the schema builder's markers. */
function briefly<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (name, part) =>
    (name === 'amount' || name === 'cost') && part.type === 'string' ? AMOUNT : part,
  );
}
