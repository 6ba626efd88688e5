import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLong } from '../../test/setup/long.ts';
import { redaction, withoutEcho, withParts } from './redaction.ts';

const RUNS = isLong ? 2_000 : 60;

// An environment variable holds whole characters and no NUL. A small alphabet makes the hard cases likely, and has none of the
// mark's characters, which would bring a secret back.
const character = fc.constantFrom(...'bB01+/=%&_- .*$(){}"\\\b\nuü😀');
const secret = fc.string({ unit: character, minLength: 8, maxLength: 24 });
const around = fc.string({ unit: character, maxLength: 24 });
const choices = fc.array(fc.nat(6), { minLength: 1 });

/** Each byte of the text as `%XX` in either case, or the character itself, as the choices say. */
function percentEncoded(text: string, chosen: readonly number[]): string {
  return Array.from(text, (part, index) => {
    const choice = (chosen[index % chosen.length] ?? 0) % 3;
    if (choice === 0 && part !== '%') return part;
    const hex = Array.from(Buffer.from(part), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    return choice === 1 ? hex : hex.toUpperCase();
  }).join('');
}

const SHORT: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', '\b': 'b', '\n': 'n' };

/** Each character as JSON may have it (RFC 8259 §7), as the choices say: as it is if it may be, with a letter, with a number. */
function jsonEscaped(text: string, chosen: readonly number[]): string {
  return Array.from(text, (part, index) => {
    const choice = (chosen[index % chosen.length] ?? 0) % 4;
    const numbered = part
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
    const short = SHORT[part];
    if (choice === 0 && JSON.stringify(part) === `"${part}"`) return part;
    if (choice <= 1 && short) return `\\${short}`;
    return choice === 2 ? numbered : numbered.toUpperCase().replaceAll('\\U', '\\u');
  }).join('');
}

describe('the parts of a secret', () => {
  const [first, second] = ['https://one.example/v2/k3y-of-one', 'https://two.example/?token=k3y-of-two'];

  it.each([`${first},${second}`, `${first} , ${second}`])(
    'are each of two URLs and their keys: %s',
    (secret) => {
      const cut = redaction(withParts([secret]));

      for (const text of [first, second, 'k3y-of-one', 'k3y-of-two']) expect(cut(text)).toBe('[redacted]');
      expect(cut(secret)).toMatch(/^\[redacted\] ?, ?\[redacted\]$/);
    },
  );

  it.each([
    ['a key with a comma', 'https://one.example/a,k3y-of-one', 'a,k3y-of-one'],
    ['a path as it is', 'https://one.example/a%2Fk3y%ffx', 'a%2Fk3y%ffx'],
    ['a path decoded', 'https://one.example/a%2Fk3y-of-one', 'a/k3y-of-one'],
    ['a query as it is', 'https://one.example/?t=a%2Fk3y+of=one', 'a%2Fk3y+of=one'],
    ['a query decoded', 'https://one.example/?t=a%2Fk3y+of=one', 'a/k3y of=one'],
    ['a password', 'https://u:passw%2Ford@one.example', 'passw/ord'],
    [
      'a login as it is sent',
      'https://u:passw%2Ford@one.example',
      Buffer.from('u:passw/ord').toString('base64'),
    ],
    ['a private key without its prefix', `0x${'1a'.repeat(32)}`, '1a'.repeat(32)],
  ])('are %s', (_what, secret, part) => {
    expect(redaction(withParts([secret]))(`(${part})`)).toBe('([redacted])');
  });
});

describe('a redaction', () => {
  it.each<[string, (value: string, chosen: readonly number[]) => string]>([
    ['raw', (value) => value],
    ['as JSON.stringify writes it', (value) => JSON.stringify(value).slice(1, -1)],
    ['percent-encoded in either case, in whole or in part', percentEncoded],
  ])('leaves no secret %s, whatever surrounds it', (_how, encode) => {
    fc.assert(
      fc.property(secret, secret, around, around, choices, (one, other, before, after, chosen) => {
        const [first, second] = [encode(one, chosen), encode(other, chosen)];

        const cut = redaction([one, other])(`${before}${first}${after}${second}!`);

        expect(cut).not.toContain(first);
        expect(cut).not.toContain(second);
      }),
      { numRuns: RUNS },
    );
  });

  it('leaves other texts unchanged', () => {
    const innocent = fc.string({ unit: fc.constantFrom(...'abcdefgh 0123456789.:/') });
    fc.assert(
      fc.property(innocent, (text) => {
        expect(redaction(['QUITE-ANOTHER', 'KEY_OF_CAPITALS'])(text)).toBe(text);
      }),
    );
  });

  it('takes no longer for texts that are nearly a secret', () => {
    const stem = 'k3y/of one'.repeat(4);
    const nearly = `${encodeURIComponent(stem)} ${stem} `.repeat(1000);
    const { user: before } = process.threadCpuUsage();

    expect(redaction([`${stem}!`])(nearly)).toBe(nearly);
    expect(process.threadCpuUsage().user - before).toBeLessThan(1_000_000);
  });

  it.each<[string, string[], string, string]>([
    ['every occurrence', ['k3y'], 'k3y and k3y', '[redacted] and [redacted]'],
    ['the longer of two secrets that begin alike', ['key', 'key-long'], 'a key-long', 'a [redacted]'],
    ['a space that became a plus', ['a key'], 'q=a+key', 'q=[redacted]'],
    ['characters that mean something in a pattern', ['a.*(b'], 'a.*(b axx(b', '[redacted] axx(b'],
    ['nothing for empty secrets', ['', ''], 'text', 'text'],
    ['nothing without secrets', [], 'text', 'text'],
  ])('cuts %s', (_what, secrets, text, expected) => {
    expect(redaction(secrets)(text)).toBe(expected);
  });
});

describe('a response without echo', () => {
  const received = (body: string, secrets: readonly string[]): string =>
    withoutEcho(secrets)({ status: 200, headers: {}, body: Buffer.from(body) }).body.toString();

  it('has no secret in its JSON, however its sender has escaped it, and valid JSON', () => {
    fc.assert(
      fc.property(secret, around, around, choices, (value, before, after, chosen) => {
        const all = [before, value, after].map((text) => jsonEscaped(text, chosen)).join('');
        const json = `{"names":{"${all}":["${all}"]}}`;
        expect(JSON.parse(json).names[before + value + after]).toEqual([before + value + after]);

        expect(JSON.stringify(JSON.parse(received(json, [value])))).not.toContain(
          JSON.stringify(value).slice(1, -1),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('has no secret in a text that is no JSON', () => {
    expect(received('<a \\ title="k3y-of-one">', ['k3y-of-one'])).toBe('<a \\ title="[redacted]">');
  });

  it.each([
    ['without a secret', '{"name":"\\u0061\\/b"}', ['k3y-of-one']],
    ['with one too short to be a key', '{"name":"Latest \\u0074est"}', ['test']],
  ])('is unchanged %s', (_what, json, secrets) => {
    expect(received(json, secrets)).toBe(json);
  });

  it.each(['\\u006b', '\\\\', '\\\\\\"'])('takes no longer for a long row of %s', (escaped) => {
    const json = `"${escaped.repeat(500_000)}k3y-of-one"`;
    const { user: before } = process.threadCpuUsage();

    const cut = received(json, ['k3y-of-one']);

    expect(process.threadCpuUsage().user - before).toBeLessThan(2_000_000);
    expect(JSON.parse(cut)).toMatch(/\[redacted\]$/);
  });
});
