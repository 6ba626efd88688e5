import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  JSONRPC_VERSION,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { isDeeperThan } from '../../shared/platform/json-fields.ts';
import { HOUR_MS } from '../../shared/platform/time.ts';
import { version } from '../../shared/platform/version.ts';
import { listedTools } from './listed-tools.ts';
import { type Tool, tools } from './tools.ts';

/** The newest version, which each request names, and the one before it, which clients negotiate at first. */
const VERSIONS = ['2026-07-28', '2025-11-25'];
const MAX_LEVELS = 64;

const INSTRUCTIONS =
  'Prices and candles of crypto assets. Coins have ids such as btc-bitcoin: find them with search_coins or resolve_symbol, never guess them. Prices are in US dollars. Every result says its source, its quality and the time of its data: name that time with a price, and say so if the quality is stale or disputed.';

type RunTool = (tool: Tool, given: Readonly<Record<string, unknown>>) => Promise<CallToolResult>;

/**
 * The whole response to one message: no event stream, no session, and no state for later requests. Throws what `run` throws.
 */
export async function answerTo(request: Request, run: RunTool): Promise<Response> {
  const failures: unknown[] = [];
  const runOrNote: RunTool = (tool, given) =>
    run(tool, given).catch((error: unknown) => {
      failures.push(error);
      throw error;
    });
  const response = await answerOf(request, () => serverFor(runOrNote));
  // The SDK would report it with status 200, which no alarm counts.
  if (failures.length > 0) throw failures[0];
  return response;
}

async function answerOf(request: Request, newServer: () => Server): Promise<Response> {
  const parsedBody = parsed(await request.text());
  if (parsedBody === undefined) return refusal(ProtocolErrorCode.ParseError, 'Parse error: not valid JSON');
  if (Array.isArray(parsedBody)) {
    return refusal(ProtocolErrorCode.InvalidRequest, 'Invalid request: batches are not part of the protocol');
  }
  if (isDeeperThan(parsedBody, MAX_LEVELS)) {
    const text = `Invalid request: nested more than ${MAX_LEVELS} levels deep`;
    return refusal(ProtocolErrorCode.InvalidRequest, text);
  }
  if (!(await isLegacyRequest(request, parsedBody))) {
    // A subscription would keep the function busy until its time-out.
    const newest = createMcpHandler(newServer, { legacy: 'reject', maxSubscriptions: 0 });
    return newest.fetch(request, { parsedBody });
  }
  const server = newServer();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}

/** The SDK needs one for each message. The routes check the arguments of tools. */
function serverFor(run: RunTool): Server {
  const server = new Server(
    { name: 'marketdata', title: 'Market data', version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: VERSIONS,
      cacheHints: { 'tools/list': { ttlMs: HOUR_MS, cacheScope: 'public' } },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: listedTools }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return run(tool, params.arguments ?? {});
  });
  return server;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(code: ProtocolErrorCode, message: string): Response {
  const body = { jsonrpc: JSONRPC_VERSION, error: { code, message }, id: null };
  return Response.json(body, { status: 400 });
}
