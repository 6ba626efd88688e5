import { secretValues } from './environment.ts';
import { secretPattern } from './secret-pattern.ts';

export type Redact = (text: string) => string;

const MARK = '[redacted]';
/** Of the secrets of one function: all of them, its provider's, each node's. */
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

/** As the URL has them and decoded, for a server knows them so; none of a text that is no HTTP URL. */
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
    return part; // a percent sign that encodes nothing
  }
}
