/** The ways in which a simulated source fails on demand, and the texts that switch them on. */
import { lieNames } from './lies.ts';
import { type Answer, json, type Protocol, plain } from './protocol.ts';
import { isSourceName, protocols, type SourceName, sourceNames } from './protocols.ts';

interface Failure {
  readonly text: string;
  /** The allowed text after `=`; undefined if there must be none. */
  readonly value?: RegExp;
  readonly example?: string;
  /** The default value. */
  readonly usual?: string;
  /** The response that replaces the proper one; undefined for failures of the connection, and for those that change it. */
  readonly answer?: (value: string, protocol: Protocol) => Answer;
}

const DURATION = /^\d+(\.\d+)?m?s$/;
/** A coin's id, its new symbol, and its new name, if that changes too. */
const RENAMED = /^([^:]+):([^:]+)(?::([^:]+))?$/;
const HUGE_ENTRIES = 120_000; // of 90 bytes: 10 MB and more
const FIREWALL = '<!DOCTYPE html>\n<html><body><h1>Sorry, you have been blocked</h1></body></html>\n';
const ok = (body: string) => plain(200, body, 'application/json');
const fillers = () =>
  Array.from({ length: HUGE_ENTRIES }, (_, index) => ({ id: `filler-${index}`, filler: 'x'.repeat(60) }));

export const failures = {
  latency: { text: 'the proper answer, later', value: DURATION, example: '=2s' },
  status: {
    ...{ text: 'an error of that status', value: /^[45]\d\d$/, example: '=503' },
    answer: (value, { failure }) => failure(Number(value)),
  },
  limit: {
    text: 'more requests than are allowed',
    answer: (_, { limited, failure }) => limited?.() ?? failure(429),
  },
  hang: { text: 'no answer' },
  garbage: {
    text: 'JSON that breaks off',
    answer: () => ok('{"id":"btc-bitcoin","quotes":{"USD":{"price":'),
  },
  html: {
    ...{ text: 'the page of a firewall', value: /^(403|200)$/, example: '[=403|200]', usual: '403' },
    answer: (value) => plain(Number(value), FIREWALL, 'text/html; charset=UTF-8'),
  },
  empty: { text: 'a 200 without a body', answer: () => ok('') },
  drop: { text: 'a connection that is closed without an answer' },
  truncate: { text: 'a connection that is closed in the middle of an answer' },
  drip: { text: 'the proper answer byte by byte', value: DURATION, example: '[=100ms]', usual: '100ms' },
  redirect: {
    text: 'a redirect to another host, to itself, or to another coin',
    ...{ value: /^(elsewhere|self|other)$/, example: '=elsewhere|self|other' },
  },
  huge: { text: 'JSON of 10 MB and more', answer: () => json(fillers()) },
  rename: {
    text: 'the proper answer with another symbol and name of a coin: in tickers only with @/tickers behind it',
    ...{ value: RENAMED, example: '=id:SYMBOL[:name]' },
  },
  wrongshape: {
    text: 'JSON that no route promises',
    answer: () => ok('{"result":{"rows":[]},"status":"ok"}'),
  },
  lie: { text: 'a proper answer that is not true', value: /^[a-z]+$/, example: '=' },
} as const satisfies Record<string, Failure>;

export type FailureName = keyof typeof failures;

/** One fault, and the requests that it applies to. */
export interface Fault {
  readonly kind: FailureName;
  /** The text after `=`: a duration, a status, a target, a coin's names, a lie; empty for a kind that takes none. */
  readonly value: string;
  /** Number of requests; `Infinity` for all. */
  readonly times: number;
  /** Part of the path and query, as sent, that a request must contain; empty for every request. */
  readonly path: string;
}

/**
 * Reads `<kind>[=value][xN][@path]`, such as `status=503x1@/tickers`: fail the next N requests whose path and query
 * contain the text behind `@`. Throws an Error that lists what is allowed; which lies are, depends on the source.
 */
export function parseFault(text: string, lies: readonly string[]): Fault {
  const [, name = '', value, times, path = ''] =
    /^([a-z]+?)(?:=([^@]+?))?(?:x([1-9]\d*))?(?:@(.+))?$/.exec(text.trim()) ?? [];
  const kind: Failure | undefined = isFailure(name) ? failures[name] : undefined;
  const given = value ?? kind?.usual ?? '';
  const isAllowed = kind && (kind.value?.test(given) ?? value === undefined);
  if (!isFailure(name) || !isAllowed || (name === 'lie' && !lies.includes(given))) {
    const kinds = Object.entries<Failure>(failures).map(([one, { example = '' }]) => one + example);
    throw new Error(
      `Bad fault "${text}". Allowed: ${kinds.join(', ')}${lies.join('|')}; each may end with xN (the next N requests) and @part-of-the-path`,
    );
  }
  return { kind: name, value: given, times: times === undefined ? Infinity : Number(times), path };
}

/**
 * Reads texts such as `latency=2s` and `kraken:status=451`, one of each source, as `--fault` takes them; one without a
 * name is the provider's. Throws an Error that says what is wrong, or lists what is allowed.
 */
export function readFaults(texts: readonly string[]): Partial<Record<SourceName, Fault>> {
  const faults: Partial<Record<SourceName, Fault>> = {};
  for (const text of texts) {
    // Any other colon is in the path of a fault without a name.
    const [prefix = ''] = /^[a-z]+(?=:)/.exec(text) ?? [];
    const name: string = prefix || 'coinpaprika';
    if (!isSourceName(name))
      throw new Error(`No source "${name}". Allowed before the colon: ${sourceNames.join(', ')}`);
    if (faults[name]) throw new Error(`Two faults of ${name}: one at a time`);
    faults[name] = parseFault(
      prefix ? text.slice(prefix.length + 1) : text,
      lieNames(protocols[name].subject),
    );
  }
  return faults;
}

function isFailure(name: string): name is FailureName {
  return Object.hasOwn(failures, name);
}

/** A duration such as `2s` or `500ms` in milliseconds. */
export function milliseconds(duration: string): number {
  return Number.parseFloat(duration) * (duration.endsWith('ms') ? 1 : 1000);
}

/** The response of a fault in the content that does not change the proper one; undefined if it is in the connection. */
export function failureAnswer({ kind, value }: Fault, protocol: Protocol): Answer | undefined {
  const { answer }: Failure = failures[kind];
  return answer?.(value, protocol);
}

/** Data of a coin, or a list with it, under the names in the value of `rename`. */
export function renamed(data: unknown, value: string): unknown {
  const [, id, symbol, name] = RENAMED.exec(value) ?? [];
  const withNames = (row: unknown) => {
    const isIts = typeof row === 'object' && row !== null && 'symbol' in row && 'id' in row && row.id === id;
    return isIts ? { ...row, symbol, ...(name !== undefined && { name }) } : row;
  };
  return Array.isArray(data) ? data.map(withNames) : withNames(data);
}
