/** One simulated source: its protocol, with its faults and lies, and a count of its requests. */
import type { IncomingHttpHeaders } from 'node:http';
import { createRouter, decodeOnce } from '../../http-api/routing.ts';
import { type Fault, failureAnswer, parseFault, renamed } from './faults.ts';
import { falseData, type LieName, lieNames } from './lies.ts';
import type { SimulatedMarket } from './markets.ts';
import { type Answer, burstLimit, json, type Protocol, Refused, type Request } from './protocol.ts';
import { protocols, type SourceName } from './protocols.ts';
import type { SimulatedToken } from './tokens.ts';

export interface SourceRequest {
  readonly method?: string | undefined;
  /** Path and query, below the base URL. */
  readonly url: string;
  readonly headers?: IncomingHttpHeaders;
}

/** A source's protocol and content; made with the first request, because a list of 56,000 coins takes a while. */
export interface SourceContent {
  readonly protocol: Protocol;
  readonly markets?: readonly SimulatedMarket[];
  readonly tokens?: readonly SimulatedToken[];
}

export interface SourceOptions {
  readonly now: () => number;
  /** Requests a second. */
  readonly limit: number;
}

/** Where sources are served. */
export interface SimulatedServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Cuts every connection, as a server or a network does to idle ones. */
  dropConnections(): void;
  /** Stops listening and cuts open connections. */
  close(): Promise<void>;
}

/** The statuses of a limit, and of a ban after it; some sources have others. */
const LIMITED = [429, 418];
const NOWHERE = 'http://elsewhere.invalid'; // `.invalid` never resolves (RFC 6761)

class Calls {
  readonly #counts = new Map<string, number>();

  count(url: string): void {
    this.#counts.set(url, (this.#counts.get(url) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  get byPath(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  reset(): void {
    this.#counts.clear();
  }
}

export class SimulatedSource {
  readonly name: SourceName;
  /** Its address; undefined for callers in this process only. */
  server: SimulatedServer | undefined;
  /** Requests since the start or the last reset: by path with query, exactly as sent, below the base URL. */
  readonly calls = new Calls();
  /** Requests since the start that were beyond the source's limit. */
  refusals = 0;
  readonly #options: SourceOptions;
  readonly #make: () => SourceContent;
  #made: ReturnType<typeof routed> | undefined;
  #fault: Fault | null = null;
  #faultsLeft = 0;

  constructor(name: SourceName, options: SourceOptions, make: () => SourceContent) {
    this.name = name;
    this.#options = options;
    this.#make = make;
  }

  /** `http://127.0.0.1:PORT/kraken`, for the source's variable. */
  get url(): string {
    return `${this.server?.origin ?? 'http://simulated.invalid'}${protocols[this.name].base}`;
  }

  /** The markets of an exchange, with their true coins; their state may be set. */
  get markets(): readonly SimulatedMarket[] {
    return this.#content.markets ?? [];
  }

  /** The tokens that have prices, with the truth about each. */
  get tokens(): readonly SimulatedToken[] {
    return this.#content.tokens ?? [];
  }

  /** Replaces the fault; `null` or an empty text means none. Throws on a bad text. */
  setFault(fault: Fault | string | null): void {
    const lies = lieNames(protocols[this.name].subject);
    this.#fault = typeof fault === 'string' ? (fault.trim() === '' ? null : parseFault(fault, lies)) : fault;
    this.#faultsLeft = this.#fault?.times ?? 0;
  }

  /** Responds without a socket: with its faults and lies, except for a connection's fault, which it only names. */
  answer(request: SourceRequest): Answer & { readonly fault: Fault | null } {
    const { url } = request;
    this.calls.count(url);
    const fault = this.#faultsLeft > 0 && this.#fault && url.includes(this.#fault.path) ? this.#fault : null;
    if (fault) this.#faultsLeft -= 1;
    const proper = this.#properAnswer(request);
    const answer = fault ? this.#faultyAnswer(request, fault, proper) : proper;
    const { Location } = answer.headers;
    const headers = {
      Date: new Date(this.#options.now()).toUTCString(),
      ...this.#content.protocol.headers?.(),
      ...answer.headers,
      ...(Location?.startsWith('/') ? { Location: protocols[this.name].base + Location } : {}),
      'X-Data-Source': 'simulated',
    };
    return { ...answer, headers, fault };
  }

  /** Cuts the connections of all sources. */
  dropConnections(): void {
    this.server?.dropConnections();
  }

  /** Ends the server of all sources. */
  async close(): Promise<void> {
    await this.server?.close();
  }

  get #content() {
    this.#made ??= routed(this.#make(), this.#options);
    return this.#made;
  }

  #properAnswer({ url, method = 'GET', headers = {} }: SourceRequest): Answer {
    const { protocol, isWithinLimit } = this.#content;
    if (method !== 'GET') return protocol.failure(405);
    const now = this.#options.now();
    const limited = isWithinLimit(now) ? undefined : (protocol.limited?.() ?? protocol.failure(429));
    const refusal = limited ?? protocol.refuse?.(requestOf(url, headers, now), now, this.calls.total);
    if (limited || LIMITED.includes(refusal?.status ?? 0)) this.refusals += 1;
    return refusal ?? this.#answerAt(now, url, headers);
  }

  /** Ignores the limits: a lie about the time requests twice, and counts once. */
  #answerAt(ms: number, url: string, headers: IncomingHttpHeaders): Answer {
    const { protocol, route } = this.#content;
    const request = requestOf(url, headers, ms);
    const match = route('GET', request.path);
    if (!match) return protocol.unknown?.() ?? protocol.failure(404);
    const { parameters = {} } = match;
    try {
      const data = match.route.read({ ...request, parameters });
      return protocol.respond?.(data, request) ?? json(data);
    } catch (error) {
      if (error instanceof Refused) return error.answer;
      throw error;
    }
  }

  #faultyAnswer({ url, headers = {} }: SourceRequest, fault: Fault, proper: Answer): Answer {
    const { protocol } = this.#content;
    const other = urlOfOther(protocol, url);
    if (fault.kind === 'redirect') {
      const elsewhere = NOWHERE + protocols[this.name].base + url;
      const Location = { self: url, elsewhere, other }[fault.value];
      return Location === undefined ? proper : { status: 302, headers: { Location }, body: '' };
    }
    if (fault.kind === 'rename') return withData(renamed(proper.data, fault.value));
    if (fault.kind !== 'lie') return failureAnswer(fault, protocol) ?? proper;
    const now = this.#options.now();
    // The parser accepts no other name.
    const data = falseData(fault.value as LieName, proper, {
      ...{ url, headers },
      again: (laterMs) => this.#answerAt(now + laterMs, url, headers),
      other: () => (other === undefined ? undefined : this.#answerAt(now, other, headers)),
    });
    return withData(data);

    function withData(changed: unknown): Answer {
      if (changed === undefined) return proper;
      return { ...proper, body: protocol.write?.(changed) ?? JSON.stringify(changed) };
    }
  }
}

function routed(content: SourceContent, { limit }: SourceOptions) {
  const { routes, burst } = content.protocol;
  const all = Object.entries(routes).map(([path, read]) => ({ key: `GET ${path}`, read }));
  const isWithinLimit = burst === undefined ? () => true : burstLimit(limit, burst);
  return { ...content, route: createRouter(all), isWithinLimit };
}

function requestOf(url: string, headers: IncomingHttpHeaders, ms: number): Request {
  const [path = ''] = url.split('?', 1);
  const query = new URLSearchParams(url.slice(path.length + 1));
  return { path, parameters: {}, query, headers, nowMs: Math.floor(ms / 1000) * 1000 };
}

/** The URL of the request for another coin instead of all that it names; undefined if it names none. */
function urlOfOther({ named }: Protocol, url: string): string | undefined {
  const sent = named?.pattern.exec(url)?.[1];
  if (!named || sent === undefined) return undefined;
  const names = named.names();
  // Some sources ignore case.
  const own = decodeOnce(sent).toLowerCase().split(',');
  const after = names.findIndex((name) => own.includes(name.toLowerCase()));
  const other = [...names.slice(after + 1), ...names].find((name) => !own.includes(name.toLowerCase()));
  return other && url.replace(sent, encodeURIComponent(other));
}
