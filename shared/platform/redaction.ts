/** Cuts secrets out of texts, in every form in which a server is likely to repeat them. */
import { secretValues } from './environment.ts';

export type Redact = (text: string) => string;

const MARK = '[redacted]';
/** For the sets of secrets of one function: all of them, its provider's, each node's. */
const MAX_KEPT = 20;

const kept = new Map<string, Redact>();

/**
 * Cuts the secrets out of a text: raw, percent-encoded or escaped as in JSON, in part too, and in base64 inside
 * something longer. Equal secrets give the same function, because its pattern costs more to make than to use.
 */
export function redaction(secrets: readonly string[]): Redact {
  const key = JSON.stringify(secrets);
  const known = kept.get(key);
  if (known) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
  const redact = compiled(secrets);
  kept.set(key, redact);
  return redact;
}

function compiled(secrets: readonly string[]): Redact {
  const longestFirst = [...new Set(secrets)]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return (text) => text;
  const pattern = new RegExp(secretPattern(longestFirst), 'g');
  // If the mark would bring a secret back, secrets are cut without a mark.
  const mark = (MARK + MARK).search(pattern) < 0 ? MARK : '';
  return (text) => {
    let before: string;
    let cut = text;
    do {
      before = cut;
      cut = before.replace(pattern, mark); // again, because the texts around a cut may now form a secret
    } while (cut !== before);
    return cut;
  };
}

/** Cuts every secret that this function knows, as it is at this moment; `declared` are the names of a route's own. */
export function withoutSecrets(text: string, declared: readonly string[] = []): string {
  return redaction(withParts(secretValues(declared)))(text);
}

/** Shorter parts of a URL, such as `v2`, are words and not keys. */
export const SHORTEST_KEY = 8;

/**
 * The secrets, the parts of a URL that may be a key (user, password, path, query values), a hexadecimal key's digits. Of
 * several URLs separated by commas, each and its parts.
 */
export function withParts(secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => {
    if (/^0x[0-9a-f]{64}$/i.test(secret)) return [secret, secret.slice(2)];
    return secret.split(/ *, *(?=http)/).flatMap((text) => [text, ...urlParts(text)]);
  });
}

/** As in the URL and decoded, because servers know them decoded; none for a text that is no HTTP URL. */
export function urlParts(address: string): string[] {
  if (!/^https?:/.test(address) || !URL.canParse(address)) return [];
  const { username, password, pathname, search, searchParams } = new URL(address);
  const queryValues = search.split(/[?&]/).map((pair) => pair.slice(pair.indexOf('=') + 1));
  const written = [username, password, ...pathname.split('/'), ...queryValues];
  const parts = [...written, ...written.map(decoded), ...searchParams.values()];
  return parts.filter((part) => part.length >= SHORTEST_KEY);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // it has a percent sign that encodes nothing
  }
}

/** The control characters that JSON writes with a letter (RFC 8259 §7). */
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
};

/** Before a form that may begin with a row of backslashes, so that it is tried only from the row's beginning. */
const ROW_BEGINS = '(?<!\\\\)';

/** The source of a pattern that finds the secrets in every form in which a server is likely to repeat them. */
function secretPattern(secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [escapedText(secret), ...base64Texts(secret).map(base64Pattern)])
    .join('|');
}

/** Each character as itself, escaped as in JSON, or percent-encoded, whatever the ones around it are. */
function escapedText(secret: string): string {
  return ROW_BEGINS + Array.from(secret, characterPattern).join('');
}

/**
 * JSON has one backslash before what it escapes, a JSON text inside another has three; a URL that is percent-encoded
 * again has `%25` for each `%`. Each form is as short as can be, and so a little wider than the standards: V8 takes
 * 160 ms to compile exact ones of eight secrets, and 5 ms for these.
 */
function characterPattern(character: string): string {
  // As two or four, before as one: what follows it may be escaped, and must stay so.
  if (character === '\\') return '(?:\\\\*[u%](?:00|25)*5[cC]|(?:\\\\\\\\){1,2}|\\\\)';
  const raw = escapePattern(character);
  const code = character.charCodeAt(0);
  const encoded = code < 0x80 ? `[u%](?:00|25)*${hexPattern(code, 2)}` : nonAsciiPattern(character);
  const short = SHORT_ESCAPES[character];
  if (short) return `(?:\\\\*(?:${raw}|${encoded})|\\\\+${short})`;
  return `\\\\*(?:${raw}|${encoded}${character === ' ' ? '|\\+' : ''})`;
}

function nonAsciiPattern(character: string): string {
  return `${unicodeEscape(character)}|${percentEncoded(character)}`;
}

/** Both units of a character that UTF-16 has in two are escaped. */
function unicodeEscape(character: string): string {
  const units = character.split('').map((unit) => `u${hexPattern(unit.charCodeAt(0), 4)}`);
  return units.join('\\\\*');
}

/** Its UTF-8 bytes. */
function percentEncoded(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `%(?:25)*${hexPattern(byte, 2)}`).join('');
}

/** In either case. */
function hexPattern(value: number, digits: number): string {
  return value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/**
 * The part of the base64 text that depends on the secret alone, for each of the three places in a group where it
 * can begin (RFC 4648 §4). Shorter than four characters it would cut innocent text.
 */
function base64Texts(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2]
    .map((offset) => {
      const text = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString('base64')
        .replaceAll('=', '');
      const start = Math.ceil((offset * 8) / 6);
      const end = Math.floor(((offset + bytes.length) * 8) / 6);
      return text.slice(start, end);
    })
    .filter((text) => text.length >= 4);
}

/** In both alphabets; `+` and `/` are also escaped or percent-encoded, as a JSON text or a URL has them. */
function base64Pattern(text: string): string {
  const pattern = Array.from(text, (character) => {
    if (character === '+') return `(?:${characterPattern('+')}|-)`;
    if (character === '/') return `(?:${characterPattern('/')}|_)`;
    return character;
  });
  return (/^[+/]/.test(text) ? ROW_BEGINS : '') + pattern.join('');
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
