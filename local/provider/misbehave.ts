import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, encode, redirect, send } from './answer.ts';
import { type Fault, milliseconds } from './faults.ts';

export const RATE_LIMIT_TEXT = 'you have reached maximum request limit';

const HUGE_ENTRIES = 120_000; // of 90 bytes: 10 MB and more

const firewallPage = `<!DOCTYPE html>
<html><head><title>Attention Required!</title></head>
<body><h1>Sorry, you have been blocked</h1><p>You are unable to access this site.</p></body></html>
`;

/** The wrong answers that each protocol has its own of. */
export interface OwnFaults {
  /** The error that goes with a status. */
  failure(status: number): Answer;
  /** A limit is reached. */
  limit(): Answer;
  /** Path and query of the same thing of another coin; undefined if there is no such thing. */
  urlOfOther(): string | undefined;
  /** The answer that a lie makes of the proper one. */
  tell(lie: string, proper: Answer): Answer;
}

/** The text of a status' error. */
export function statusText(status: number, tooMany: string): string {
  return status === 429 ? tooMany : (STATUS_CODES[status] ?? 'simulated fault');
}

/** Answers a request as a fault demands, in place of the `proper` answer. Settles when the response is over. */
export async function misbehave(
  fault: Fault,
  proper: Answer,
  own: OwnFaults,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const acceptEncoding = request.headers['accept-encoding'];
  switch (fault.kind) {
    case 'hang':
      return;
    case 'drop':
      response.destroy();
      return;
    case 'latency':
      await pause(milliseconds(fault.value), response);
      return send(response, proper, acceptEncoding);
    case 'truncate':
      return truncate(proper, response);
    case 'drip':
      return drip(proper, response, milliseconds(fault.value));
    default:
      return send(response, wrongAnswer(fault, proper, own, request.url), acceptEncoding);
  }
}

/** The answer of a fault that is in the content. */
function wrongAnswer(fault: Fault, proper: Answer, own: OwnFaults, url = '/'): Answer {
  const json = { 'Content-Type': 'application/json' };
  const html = { 'Content-Type': 'text/html; charset=UTF-8' };
  switch (fault.kind) {
    case 'status':
      return own.failure(Number(fault.value));
    case 'limit':
      return own.limit();
    case 'garbage':
      return { status: 200, headers: json, body: '{"id":"btc-bitcoin","quotes":{"USD":{"price":' };
    case 'html':
      return { status: Number(fault.value), headers: html, body: firewallPage };
    case 'empty':
      return { status: 200, headers: json, body: '' };
    case 'redirect': {
      const location = locationOf(fault.value, url, own);
      return location === undefined ? proper : redirect(302, location);
    }
    case 'huge':
      return { status: 200, headers: json, body: hugeList() };
    case 'wrongshape':
      return { status: 200, headers: json, body: '{"result":{"rows":[]},"status":"ok"}' };
    case 'lie':
      return own.tell(fault.value, proper);
    default:
      return proper;
  }
}

function locationOf(target: string, url: string, own: OwnFaults): string | undefined {
  if (target === 'self') return url;
  if (target === 'other') return own.urlOfOther();
  return `http://elsewhere.invalid${url}`; // `.invalid` never resolves (RFC 6761): who follows it reaches nobody
}

function hugeList(): string {
  return JSON.stringify(
    Array.from({ length: HUGE_ENTRIES }, (_, index) => ({ id: `filler-${index}`, filler: 'x'.repeat(60) })),
  );
}

/** Announces more bytes than it sends, and hangs up. */
async function truncate(proper: Answer, response: ServerResponse): Promise<void> {
  const { headers, bytes } = await encode(proper, undefined);
  response.writeHead(proper.status, { ...headers, 'Content-Length': String(bytes.length + 1000) });
  response.write(bytes, () => response.destroy());
}

async function drip(proper: Answer, response: ServerResponse, pauseMs: number): Promise<void> {
  const { headers, bytes } = await encode(proper, undefined);
  response.writeHead(proper.status, headers);
  for (const byte of bytes) {
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
    await pause(pauseMs, response);
  }
  response.end();
}

/** Waits, but no longer than the client does. */
async function pause(ms: number, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  response.once('close', abort);
  await sleep(ms, undefined, { signal: gone.signal }).catch(() => undefined);
  response.off('close', abort);
}
