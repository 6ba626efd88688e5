const MARK = '[redacted]';

/** Cuts the secrets out of a text: raw, percent-encoded in part too, base64-encoded inside something longer too. */
export function redaction(secrets: readonly string[]): (text: string) => string {
  const patterns = [...new Set(secrets)]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length)
    .flatMap((secret) => [percentPattern(secret), ...base64Patterns(secret)]);
  if (patterns.length === 0) return (text) => text;
  const pattern = new RegExp(patterns.join('|'), 'g');
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

/** Shorter parts of a URL, such as `v2`, are words and not keys. */
const SHORTEST_KEY = 8;

/** The secrets, the parts of a URL that may be a key (user, password, path, query values), a hexadecimal key's digits. */
export function withParts(secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => {
    if (/^0x[0-9a-f]{64}$/i.test(secret)) return [secret, secret.slice(2)];
    if (!/^https?:/.test(secret) || !URL.canParse(secret)) return [secret];
    const { username, password, pathname, searchParams } = new URL(secret);
    const parts = [username, password, ...pathname.split('/'), ...searchParams.values()];
    return [secret, ...parts.filter((part) => part.length >= SHORTEST_KEY)];
  });
}

/** Each character as itself or as its UTF-8 bytes in `%XX`, either case. */
function percentPattern(secret: string): string {
  return Array.from(secret, (character) => {
    const encoded = [...new TextEncoder().encode(character)]
      .map((byte) => `%${[...byte.toString(16).padStart(2, '0')].map(eitherCase).join('')}`)
      .join('');
    const raw = escapePattern(character);
    return character === ' ' ? `(?:${raw}|\\+|${encoded})` : `(?:${raw}|${encoded})`;
  }).join('');
}

function eitherCase(hexDigit: string): string {
  return /[a-f]/.test(hexDigit) ? `[${hexDigit}${hexDigit.toUpperCase()}]` : hexDigit;
}

/**
 * The part of the base64 text that depends on the secret alone, for each of the three places in a group where it
 * can begin (RFC 4648 §4), in both alphabets. Shorter than four characters it would cut innocent text.
 */
function base64Patterns(secret: string): string[] {
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
    .filter((text) => text.length >= 4)
    .map((text) => escapePattern(text).replaceAll('\\+', '[+-]').replaceAll('/', '[/_]'));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('\\/', '/');
}
