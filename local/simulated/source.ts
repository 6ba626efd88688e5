/** One simulated source: its protocol, with its faults and lies, and a count of what it was asked. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Fault, failureAnswer, faultSwitch } from './faults.ts';
import { type LieName, lieNames, tell } from './lies.ts';
import { type Answer, decoded, type Protocol, Refused, type Request } from './protocol.ts';
import type { Subject } from './protocols.ts';

export interface SourceRequest {
  readonly method?: string;
  /** Path and query, below the base URL. */
  readonly url: string;
  readonly headers?: IncomingHttpHeaders;
}

/** Counts requests since the start or the last reset. */
export interface Calls {
  readonly total: number;
  /** By path with query, exactly as sent. */
  readonly byPath: Readonly<Record<string, number>>;
  reset(): void;
}

export interface Source {
  readonly calls: Calls;
  /** Sets the fault, in place of the one before; `null` means none. Throws on a bad text. */
  setFault(fault: Fault | string | null): void;
  /** Answers without a socket: with its faults and lies, but for those in the connection, which it only names. */
  answer(request: SourceRequest): Answer & { readonly fault: Fault | null };
}

export interface SourceOptions {
  readonly subject: Subject;
  readonly now: () => number;
  /** The path of the base URL, in front of those in redirects. */
  readonly base: string;
  /** Answers do not say that they are simulated, as real ones do not. */
  readonly genuine: boolean;
}

const NOWHERE = 'http://elsewhere.invalid'; // `.invalid` never resolves (RFC 6761): who follows it reaches nobody

/** The protocol is made with the first request: a list of 56,000 coins takes a while, and not everybody asks for it. */
export function createSource(protocol: () => Protocol, options: SourceOptions): Source {
  const { now, genuine, base } = options;
  const counts = new Map<string, number>();
  const faults = faultSwitch(lieNames(options.subject));
  const total = () => [...counts.values()].reduce((sum, count) => sum + count, 0);

  function properAnswer({ url, method = 'GET', headers = {} }: SourceRequest, laterMs = 0): Answer {
    if (method !== 'GET') return protocol().failure(405);
    const request = requestOf(url, headers, now() + laterMs);
    try {
      // Whoever is lied to about the time is limited all the same, and once.
      const refusal = laterMs === 0 ? protocol().refuse?.(request, now(), total()) : undefined;
      return refusal ?? protocol().answer(request);
    } catch (error) {
      if (error instanceof Refused) return error.answer;
      throw error;
    }
  }

  function faultyAnswer(request: SourceRequest, fault: Fault, proper: Answer): Answer {
    const { url, headers = {} } = request;
    const otherUrl = urlOfOther(protocol(), url);
    if (fault.kind === 'redirect') {
      const locations: Record<string, string | undefined> = {
        self: url,
        elsewhere: NOWHERE + base + url,
        other: otherUrl,
      };
      const Location = locations[fault.value];
      return Location === undefined ? proper : { status: 302, headers: { Location }, body: '' };
    }
    if (fault.kind !== 'lie') return failureAnswer(fault, protocol()) ?? proper;
    const answered = (other: string) => protocol().answer(requestOf(other, headers, now()));
    const data = tell(fault.value as LieName, proper, {
      // The parser takes no other.
      ...{ url, headers, again: (laterMs) => properAnswer(request, laterMs) },
      other: () => (otherUrl === undefined ? undefined : answered(otherUrl)),
    });
    return data === undefined
      ? proper
      : { ...proper, body: protocol().write?.(data) ?? JSON.stringify(data) };
  }

  return {
    calls: {
      get total() {
        return total();
      },
      get byPath() {
        return Object.fromEntries(counts);
      },
      reset: () => counts.clear(),
    },
    setFault: faults.set,
    answer(request) {
      const { url } = request;
      counts.set(url, (counts.get(url) ?? 0) + 1);
      const fault = faults.take(url);
      const proper = properAnswer(request);
      const answer = fault ? faultyAnswer(request, fault, proper) : proper;
      const { Location } = answer.headers;
      const headers = {
        ...{ Date: new Date(now()).toUTCString(), ...protocol().headers?.(), ...answer.headers },
        ...(Location?.startsWith('/') ? { Location: base + Location } : {}),
        ...(genuine ? {} : { 'X-Data-Source': 'simulated' }),
      };
      return { ...answer, headers, fault };
    },
  };
}

function requestOf(url: string, headers: IncomingHttpHeaders, ms: number): Request {
  const at = url.indexOf('?');
  const [path, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
  return { path, query: new URLSearchParams(query), headers, nowMs: Math.floor(ms / 1000) * 1000 };
}

/** The same request for another coin, in place of all that it names; undefined if it names none. */
function urlOfOther({ named }: Protocol, url: string): string | undefined {
  const asked = named?.pattern.exec(url)?.[1];
  if (!named || asked === undefined) return undefined;
  const names = named.names();
  // Some are found in any case.
  const own = decoded(asked).toLowerCase().split(',');
  const after = names.findIndex((name) => own.includes(name.toLowerCase()));
  const other = [...names.slice(after + 1), ...names].find((name) => !own.includes(name.toLowerCase()));
  return other && url.replace(asked, encodeURIComponent(other));
}
