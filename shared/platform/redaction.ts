/** Cuts secrets out of texts, in the forms in which they can leave the process (decision 4). */
import { unescape as decoded } from 'node:querystring';
import { secretValues } from './environment.ts';
import type { HttpAnswer } from './transport.ts';

type Redact = (text: string) => string;

const MARK = '[redacted]';
/** Shorter secrets, such as `test`, and shorter parts of a URL, such as `v2`, are words that data may contain. */
export const SHORTEST_KEY = 8;
/** The number of sets that one function needs: all its secrets, its provider's, each node's. */
const MAX_KEPT = 20;

const kept = new Map<string, Redact>();

/**
 * Cuts the secrets out of a text: each character as it is, as JSON.stringify writes it, or percent-encoded. Equal secrets
 * give the same function, because its pattern costs more to make than to use.
 */
export function redaction(secrets: readonly string[]): Redact {
  const key = JSON.stringify(secrets);
  const known = kept.get(key);
  if (known) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
  const longestFirst = secrets.filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(secretPattern).join('|'), 'g');
  const redact: Redact = longestFirst.length === 0 ? (text) => text : (text) => text.replace(pattern, MARK);
  kept.set(key, redact);
  return redact;
}

/** Cuts every secret that this function knows at this moment out of a message; `declared` are the names of a route's own. */
export function withoutSecrets(text: string, declared: readonly string[] = []): string {
  return redaction(withParts(secretValues(declared)))(text);
}

/** Cuts the secrets out of data, and keeps the words that a short secret happens to be part of. */
export function dataWithoutSecrets(text: string, declared: readonly string[] = []): string {
  return redaction(keysIn(withParts(secretValues(declared))))(text);
}

/** The secrets that are long enough to be cut out of data. */
export function keysIn(secrets: readonly string[]): string[] {
  return secrets.filter(({ length }) => length >= SHORTEST_KEY);
}

/** The secrets, the parts of each URL that may be a key (several are separated by commas), a hexadecimal key's digits. */
export function withParts(secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => {
    if (/^0x[0-9a-f]{64}$/i.test(secret)) return [secret, secret.slice(2)];
    return secret.split(/ *, *(?=http)/).flatMap((text) => [text, ...urlParts(text)]);
  });
}

/**
 * User, password, path and query values, as they are and decoded, and the login as a request sends it (RFC 7617); none for a
 * text that is no HTTP URL.
 */
export function urlParts(address: string): string[] {
  if (!/^https?:/.test(address) || !URL.canParse(address)) return [];
  const { username, password, pathname, searchParams } = new URL(address);
  const login = Buffer.from(decoded(`${username}:${password}`)).toString('base64');
  const parts = [username, password, ...pathname.split('/'), ...searchParams.values()];
  return keysIn([login, ...parts, ...parts.map(decoded)]);
}

function secretPattern(secret: string): string {
  return Array.from(secret, (character) => {
    const percent = Buffer.from(character).toString('hex').replace(/../g, '%$&');
    // JSON's form comes first, because half of an escape would break the text.
    const forms = [JSON.stringify(character).slice(1, -1), character, percent, percent.toUpperCase()];
    if (character === ' ') forms.push('+'); // in a query
    const patterns = forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    return `(?:${[...new Set(patterns)].join('|')})`; // one way to match, or a near miss would take forever
  }).join('');
}

/** Cuts the secrets sent to a server out of the bodies of its responses, so that no reader or store ever holds one. */
export function withoutEcho(secrets: readonly string[]): (answer: HttpAnswer) => HttpAnswer {
  const keys = keysIn(secrets);
  if (keys.length === 0) return (answer) => answer;
  return (answer) => {
    const text = ourJson(answer.body.toString('utf8'));
    const cut = redaction(keys)(text);
    return cut === text ? answer : { ...answer, body: Buffer.from(cut) };
  };
}

/** Longer ones overflow the stack of regular expressions. */
const ESCAPES = /(?:\\(?:u[0-9a-f]{4}|[^u])){1,1000}/gi;

/** A JSON text with the escapes that JSON.stringify writes, whatever its sender has escaped; any other text unchanged. */
function ourJson(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return text.replace(ESCAPES, (escapes) => JSON.stringify(JSON.parse(`"${escapes}"`)).slice(1, -1));
  } catch {
    return text; // it is no JSON, and no reader takes it
  }
}
