import Type from 'typebox';
import type { HttpResult } from '../../../shared/http/middleware/pipeline-request.ts';
import { defineRoute } from '../../../shared/http/route.ts';
import { tools } from '../tools.ts';

const carried = tools.map(({ route }) => route);

export const route = defineRoute({
  name: 'mcp/server',
  method: 'POST',
  path: '/api/mcp',
  summary: 'Market data for assistants: a Model Context Protocol server',
  description:
    'One JSON-RPC message of the Model Context Protocol (Streamable HTTP, versions 2026-07-28 and 2025-11-25), answered as JSON. There are no sessions, streams or batches: a notification is answered 202, a malformed message 400, and a refusal before the protocol in the envelope. The tools are routes of this API, with the same data, limits and errors.',
  limit: 'read',
  envelope: false,
  // `accept` is missing: the distribution's policy has no room for an eleventh header.
  requestHeaders: ['mcp-protocol-version', 'mcp-method', 'mcp-name'],
  response: Type.Unsafe<HttpResult>(Type.Object({}, { description: 'A JSON-RPC response' })),
  maxBodyBytes: 65_536,
  failures: {
    404: 'Newest version only: the method does not exist',
    406: '`Accept` does not allow JSON',
    415: '`Content-Type` is not `application/json`',
  },
  environment: [...new Set(carried.flatMap(({ environment = [] }) => environment))],
  rows: [...new Set(carried.flatMap(({ rows = [] }) => rows))],
  registry: carried.some(({ registry }) => registry),
  snapshot: carried.some(({ snapshot }) => snapshot),
  history: carried.some(({ history }) => history),
  putsCoins: carried.some(({ putsCoins }) => putsCoins),
  example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  maxInitBytes: 395_000,
  memoryMb: 512,
  timeoutSeconds: 20,
  maxConcurrency: 10,
});
