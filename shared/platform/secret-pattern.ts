/** The control characters that JSON writes with a letter (RFC 8259 §7). */
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
};

/** In front of a form that may begin with a row of backslashes: it is looked at once, from its beginning. */
const ROW_BEGINS = '(?<!\\\\)';

/** The source of a pattern that finds the secrets in every form in which a server is likely to repeat them. */
export function secretPattern(secrets: readonly string[]): string {
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
