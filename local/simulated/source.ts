/** One simulated source: its protocol, with its faults and lies, and a count of its requests. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Fault, failureAnswer, parseFault } from './faults.ts';
import { type LieName, lieNames, tell } from './lies.ts';
import type { SimulatedMarket } from './markets.ts';
import { type Answer, decoded, type Protocol, Refused, type Request } from './protocol.ts';
import { protocols, type SourceName } from './protocols.ts';
import type { SimulatedToken } from './tokens.ts';

export interface SimulatedServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Cuts every connection, as a server or a network in between does to idle ones. */
  dropConnections(): void;
  /** Stops listening and cuts open connections. */
  close(): Promise<void>;
}

export interface SourceRequest {
  readonly method?: string | undefined;
  /** Path and query, below the base URL. */
  readonly url: string;
  readonly headers?: IncomingHttpHeaders;
}

/** What a source speaks, and of what; made with the first request, because a list of 56,000 coins takes a while. */
export interface Spoken {
  readonly protocol: Protocol;
  readonly markets?: readonly SimulatedMarket[];
  readonly tokens?: readonly SimulatedToken[];
}

const NOWHERE = 'http://elsewhere.invalid'; // `.invalid` never resolves (RFC 6761): who follows it reaches nobody

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
  /** Where it is served; undefined for callers in this process alone. */
  server: SimulatedServer | undefined;
  readonly #now: () => number;
  readonly #isGenuine: boolean;
  readonly #make: () => Spoken;
  #made: Spoken | undefined;
  #fault: Fault | null = null;
  #faultsLeft = 0;

  constructor(name: SourceName, make: () => Spoken, now: () => number, isGenuine: boolean) {
    this.name = name;
    this.#make = make;
    this.#now = now;
    this.#isGenuine = isGenuine;
  }

  /** `http://127.0.0.1:PORT/kraken`, for the source's variable. */
  get url(): string {
    return `${this.server?.origin ?? 'http://simulated.invalid'}${protocols[this.name].base}`;
  }

  /** The markets of an exchange, with the truth about each; their state may be set. */
  get markets(): readonly SimulatedMarket[] {
    return this.#spoken.markets ?? [];
  }

  /** The tokens that have prices, with the truth about each. */
  get tokens(): readonly SimulatedToken[] {
    return this.#spoken.tokens ?? [];
  }

  /** Requests since the start or the last reset: by path with query, exactly as sent, below the base URL. */
  readonly calls = new Calls();

  /** Sets the fault, in place of the one before; `null` or an empty text means none. Throws on a bad text. */
  setFault(fault: Fault | string | null): void {
    const lies = lieNames(protocols[this.name].subject);
    this.#fault = typeof fault === 'string' ? (fault.trim() === '' ? null : parseFault(fault, lies)) : fault;
    this.#faultsLeft = this.#fault?.times ?? 0;
  }

  /** Answers without a socket: with its faults and lies, but for a fault of the connection, which it only names. */
  answer(request: SourceRequest): Answer & { readonly fault: Fault | null } {
    const { url } = request;
    this.calls.count(url);
    const fault = this.#faultsLeft > 0 && this.#fault && url.includes(this.#fault.path) ? this.#fault : null;
    if (fault) this.#faultsLeft -= 1;
    const { protocol } = this.#spoken;
    const proper = this.#properAnswer(request);
    const answer = fault ? this.#faultyAnswer(request, fault, proper) : proper;
    const { Location } = answer.headers;
    const headers = {
      ...{ Date: new Date(this.#now()).toUTCString(), ...protocol.headers?.(), ...answer.headers },
      ...(Location?.startsWith('/') ? { Location: protocols[this.name].base + Location } : {}),
      ...(this.#isGenuine ? {} : { 'X-Data-Source': 'simulated' }),
    };
    return { ...answer, headers, fault };
  }

  /** Cuts every connection of all sources, as a server or a network in between does to idle ones. */
  dropConnections(): void {
    this.server?.dropConnections();
  }

  /** Ends the server of all sources. */
  async close(): Promise<void> {
    await this.server?.close();
  }

  get #spoken(): Spoken {
    this.#made ??= this.#make();
    return this.#made;
  }

  #properAnswer({ url, method = 'GET', headers = {} }: SourceRequest, laterMs = 0): Answer {
    const { protocol } = this.#spoken;
    if (method !== 'GET') return protocol.failure(405);
    const now = this.#now();
    const request = requestOf(url, headers, now + laterMs);
    try {
      // Whoever is lied to about the time is limited all the same, and once.
      const refusal = laterMs === 0 ? protocol.refuse?.(request, now, this.calls.total) : undefined;
      return refusal ?? protocol.answer(request);
    } catch (error) {
      if (error instanceof Refused) return error.answer;
      throw error;
    }
  }

  #faultyAnswer(request: SourceRequest, fault: Fault, proper: Answer): Answer {
    const { url, headers = {} } = request;
    const { protocol } = this.#spoken;
    const other = urlOfOther(protocol, url);
    if (fault.kind === 'redirect') {
      const elsewhere = NOWHERE + protocols[this.name].base + url;
      const Location = { self: url, elsewhere, other }[fault.value];
      return Location === undefined ? proper : { status: 302, headers: { Location }, body: '' };
    }
    if (fault.kind !== 'lie') return failureAnswer(fault, protocol) ?? proper;
    const data = tell(fault.value as LieName, proper, {
      // The parser takes no other.
      ...{ url, headers, again: (laterMs) => this.#properAnswer(request, laterMs) },
      other: () =>
        other === undefined ? undefined : protocol.answer(requestOf(other, headers, this.#now())),
    });
    return data === undefined ? proper : { ...proper, body: protocol.write?.(data) ?? JSON.stringify(data) };
  }
}

function requestOf(url: string, headers: IncomingHttpHeaders, ms: number): Request {
  const at = url.indexOf('?');
  const [path, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
  return { path, query: new URLSearchParams(query), headers, nowMs: Math.floor(ms / 1000) * 1000 };
}

/** The same request for another coin, in place of all that it names; undefined if it names none. */
function urlOfOther({ named }: Protocol, url: string): string | undefined {
  const sent = named?.pattern.exec(url)?.[1];
  if (!named || sent === undefined) return undefined;
  const names = named.names();
  // Some are found in any case.
  const own = decoded(sent).toLowerCase().split(',');
  const after = names.findIndex((name) => own.includes(name.toLowerCase()));
  const other = [...names.slice(after + 1), ...names].find((name) => !own.includes(name.toLowerCase()));
  return other && url.replace(sent, encodeURIComponent(other));
}
