/** A provider and a node that repeat whatever they are sent, in every place of a response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { encodeAbiParameters } from 'viem/utils';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { chains } from '../../shared/chains.ts';
import { startLoopback } from '../pipeline/loopback.ts';

/** Kinds of answers. */
export const misdeeds = [
  'data',
  'escaped',
  '400',
  '401',
  '402',
  '403',
  '404',
  '500',
  '503',
  'html',
  'page',
  'type',
  'location',
  'encoding',
  'broken',
  'shape',
  'revert',
] as const;

export type Misdeed = (typeof misdeeds)[number];

export interface Hostile {
  readonly url: string;
  /** The next answers are of this kind. */
  misdeed: Misdeed;
  close(): Promise<void>;
}

/** One server for both: a node's calls are posted. */
export async function startHostile(): Promise<Hostile> {
  const state = { misdeed: 'data' as Misdeed };
  const server = await startLoopback((request, response) => {
    if (request.method === 'POST') void answerCall(request, response, state.misdeed);
    else answerProvider(request, response, state.misdeed);
  });
  return Object.assign(state, { url: server.url, close: server.close });
}

/** What was sent: headers and parts of the URL as they are, and decoded. */
function sentIn({ url = '', headers }: IncomingMessage): { asIs: string[]; decoded: string[] } {
  const authorization = headers.authorization ?? '';
  const [scheme = '', credentials = ''] = authorization.split(' ');
  const login = scheme === 'Basic' ? Buffer.from(credentials, 'base64').toString('utf8') : authorization;
  const parts = [login, url, ...url.split(/[/?&=]/)].filter(({ length }) => length > 8);
  return { asIs: [authorization, ...parts], decoded: [...new Set(parts.map(decoded))] };
}

/** All that was sent, in all forms: for errors, headers and whatever else no reader takes. */
function echo(request: IncomingMessage): string {
  const { asIs, decoded } = sentIn(request);
  return [...new Set([...asIs, ...decoded])].flatMap(forms).join(' ');
}

/** Repeats the request in data, which is passed on: in the forms that decision 4 promises to cut there. */
function echoInData(request: IncomingMessage): string {
  const { asIs, decoded } = sentIn(request);
  return [...new Set([...asIs, ...decoded.flatMap(formsInData)])].join(' ');
}

function formsInData(sent: string): string[] {
  return [
    sent,
    encodeURIComponent(sent),
    encodeURIComponent(sent).replace(/%../g, (hex) => hex.toLowerCase()),
    [...Buffer.from(sent)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  ];
}

function forms(sent: string): string[] {
  const json = JSON.stringify(sent).slice(1, -1);
  return [
    ...formsInData(sent),
    encodeURIComponent(encodeURIComponent(sent)),
    Buffer.from(sent).toString('base64'),
    Buffer.from(sent).toString('base64url'),
    Buffer.from(`user:${sent}`).toString('base64'),
    json,
    json.replaceAll('/', '\\/'),
    JSON.stringify(json).slice(1, -1),
    numbered(sent),
    numbered(sent).replace(/[0-9a-f]{4}/g, (hex) => hex.toUpperCase()),
  ];
}

function numbered(sent: string): string {
  return sent
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A header takes no more of it: Latin-1 in one line. */
const inHeader = (said: string) => said.replace(/[^ -~¡-ÿ]/g, '').slice(0, 8_000);

let told = 0;

const symbols = new Map(simulatedEntries().map(({ id, symbol }) => [id, symbol]));

function answerProvider(request: IncomingMessage, response: ServerResponse, misdeed: Misdeed): void {
  const said = echo(request);
  const inData = echoInData(request);
  const [path = ''] = request.url?.split('/v1/')[1]?.split('?') ?? [];
  const [resource = '', id = '', ...rest] = path.split('/');
  // A form at a time: a longer text would be refused for its length.
  told += 1;
  const key = formsInData(request.headers.authorization ?? '');
  const name = `${id} ${key[told % key.length]}`.slice(0, 900);
  const last_updated = new Date().toISOString();
  const ticker = {
    id: decoded(id) || 'all',
    name,
    // A ticker with another coin's symbol would be refused.
    symbol: symbols.get(decoded(id)) ?? name,
    last_updated,
    quotes: { USD: { price: 1 } },
  };
  const listed = { id: 'all', name, symbol: request.headers.authorization, rank: 1 };
  const coin = { ...listed, is_new: false, is_active: true, type: 'coin' };
  // A report names a row that cannot be read by its id.
  const list = resource === 'coins' ? [coin] : [ticker, { ...ticker, id: inData, quotes: said }];
  const data = rest.length > 0 ? [{ timestamp: said }] : id === '' ? list : ticker;
  misbehave(response, misdeed, { said, inData }, data);
}

async function answerCall(
  request: IncomingMessage,
  response: ServerResponse,
  misdeed: Misdeed,
): Promise<void> {
  const said = echo(request);
  const inData = echoInData(request);
  const { method, id } = JSON.parse(await text(request)) as { method: string; id: number };
  const chain = chains[request.url?.split('/')[1] as keyof typeof chains];
  const results: Record<string, object> = {
    eth_chainId: { result: `0x${chain.chainId.toString(16)}` },
    eth_getTransactionCount: { result: '0x0' },
    eth_getBalance: { result: `0x${(10n ** 24n).toString(16)}` },
    eth_sendRawTransaction: { error: { code: -32000, message: said } },
  };
  if (method === 'eth_getCode')
    misbehave(response, misdeed, { said, inData }, { id, result: { [inData]: [inData] } });
  else send(response, 200, { id, ...(results[method] ?? { result: '0x5208' }) });
}

interface Echo {
  readonly said: string;
  readonly inData: string;
}

function misbehave(response: ServerResponse, how: string, { said, inData }: Echo, data: object): void {
  const json = { 'content-type': 'application/json' };
  const html = { 'content-type': 'text/html' };
  const page = `<html><title>${said}</title></html>`;
  const fine = JSON.stringify(data);
  // A contract's text, which is data.
  const reason = () => encodeAbiParameters([{ type: 'string' }], [inData.slice(0, 150)]).slice(2);
  const answers: Record<string, () => void> = {
    escaped: () => end(response, 200, json, fine.replace(/"((?:[^"\\]|\\.)*)"/g, numberedText)),
    html: () => end(response, 200, html, page),
    page: () => end(response, 403, html, page),
    type: () => end(response, 200, { 'content-type': inHeader(said) }, fine),
    location: () => end(response, 302, { location: `http://127.0.0.2/${inHeader(said)}` }, said),
    encoding: () => end(response, 200, { ...json, 'content-encoding': inHeader(said) }, fine),
    broken: () => end(response, 200, json, `{"name":"${said}`),
    shape: () => send(response, 200, { [said]: said, quotes: said, id: { said } }),
    revert: () => send(response, 200, { error: { code: 3, message: said, data: `0x08c379a0${reason()}` } }),
    data: () => send(response, 200, data),
  };
  if (/^\d+$/.test(how)) send(response, Number(how), { error: said, message: said });
  else (answers[how] ?? answers.data)?.();
}

/** A text of JSON with each of its characters as a number. */
function numberedText(json: string): string {
  return `"${numbered(JSON.parse(json) as string)}"`; // what stands in quotation marks
}

function send(response: ServerResponse, status: number, body: unknown): void {
  end(response, status, { 'content-type': 'application/json' }, JSON.stringify(body));
}

function end(response: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  response.writeHead(status, headers).end(body);
}
