import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLong } from '../../test/setup/long.ts';
import { redaction, withParts } from './redaction.ts';

const RUNS = isLong ? 2_000 : 60;

// An environment variable holds whole characters and no NUL. A small alphabet makes the hard cases likely.
const character = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  fc.constantFrom(...'aAbB01+/=%&_- .*$[]()redacted"\\\b\nuü😀'),
);
const secret = fc.string({ unit: character, minLength: 1, maxLength: 24 });
const longSecret = secret.filter((text) => Buffer.byteLength(text) >= 6);
const around = fc.string({ unit: character, maxLength: 24 });

/** Each byte of the text as `%XX` in either case, or the character itself, as the choices say. */
function percentEncoded(text: string, choices: readonly number[]): string {
  return Array.from(text, (part, index) => {
    const choice = (choices[index % choices.length] ?? 0) % 3;
    if (choice === 0 && part !== '%') return part;
    const hex = Array.from(Buffer.from(part), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    return choice === 1 ? hex : hex.toUpperCase();
  }).join('');
}

const SHORT: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', '\b': 'b', '\n': 'n' };

/** Each character as JSON may have it (RFC 8259 §7), as the choices say: as it is if it may be, with a letter, with a number. */
function jsonEscaped(text: string, choices: readonly number[]): string {
  return Array.from(text, (part, index) => {
    const choice = (choices[index % choices.length] ?? 0) % 4;
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

/** Whether any run of base64 in the text decodes, at any place of its groups, to something that holds the secret. */
function decodesTo(text: string, value: string): boolean {
  const runs = text.match(/[\w+/-]+/g) ?? [];
  return runs.some((run) =>
    [0, 1, 2, 3].some((skipped) => Buffer.from(run.slice(skipped), 'base64').includes(value)),
  );
}

describe('the parts of two URLs separated by a comma', () => {
  const [first, second] = ['https://one.example/v2/k3y-of-one', 'https://two.example/?token=k3y-of-two'];

  it.each([`${first},${second}`, `${first} , ${second}`])('are each and their keys: %s', (secret) => {
    const cut = redaction(withParts([secret]));

    for (const text of [first, second, 'k3y-of-one', 'k3y-of-two']) expect(cut(text)).toBe('[redacted]');
    expect(cut(secret)).toMatch(/^\[redacted\] ?, ?\[redacted\]$/);
    expect(cut(Buffer.from(secret).toString('base64'))).toMatch(/^\[redacted\]\w{2,4}\[redacted\]\w?=*$/);
  });

  it('are found in a key with a comma too', () => {
    expect(redaction(withParts(['https://one.example/a,k3y-of-one']))('a,k3y-of-one')).toBe('[redacted]');
  });
});

describe('a redaction', () => {
  const mixed = (value: string, choices: readonly number[]) =>
    Array.from(value, (part, index) => {
      const choice = choices[index % choices.length] ?? 0;
      return choice < 3 ? percentEncoded(part, [choice]) : jsonEscaped(part, [choice - 3]);
    }).join('');

  it.each<[string, fc.Arbitrary<string>, (value: string, choices: readonly number[]) => string]>([
    ['raw', secret, (value) => value],
    ['percent-encoded in upper, lower or mixed case, in whole or in part', secret, percentEncoded],
    ['whose characters are now percent-encoded, now escaped', longSecret, mixed],
  ])('leaves no secret %s, whatever surrounds it', (_how, secrets, encode) => {
    const choices = fc.array(fc.nat(6), { minLength: 1 });
    fc.assert(
      fc.property(secrets, secrets, around, around, choices, (one, other, before, after, chosen) => {
        const [first, second] = [encode(one, chosen), encode(other, chosen)];

        const cut = redaction([one, other])(`${before}${first}${after}${second}!`);

        expect(cut).not.toContain(first);
        expect(cut).not.toContain(second);
      }),
      { numRuns: RUNS },
    );
  });

  it('leaves no secret that JSON escapes, wholly or partly, and valid JSON', () => {
    fc.assert(
      fc.property(
        longSecret,
        around,
        around,
        fc.array(fc.nat(3), { minLength: 1 }),
        (value, before, after, choices) => {
          const escaped = jsonEscaped(value, choices);
          const json = `{"name":"${jsonEscaped(before, choices)}${escaped}${jsonEscaped(after, choices)}"}`;
          expect(JSON.parse(json).name).toContain(value);

          const cut = redaction([value])(json);

          expect(JSON.parse(cut).name).not.toContain(value);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('leaves no secret in a JSON text inside another', () => {
    fc.assert(
      fc.property(longSecret, around, around, (value, before, after) => {
        const json = JSON.stringify({ error: JSON.stringify({ key: before + value + after }) });

        const { error } = JSON.parse(redaction([value])(json));

        expect(JSON.parse(error).key).not.toContain(value);
      }),
      { numRuns: RUNS },
    );
  });

  it.each(['base64', 'base64url'] as const)(
    'leaves no secret of 6 bytes or more in %s, wherever it begins',
    (encoding) => {
      fc.assert(
        fc.property(longSecret, around, around, fc.boolean(), (value, before, after, padded) => {
          const whole = Buffer.from(before + value + after).toString(encoding);
          const encoded = padded ? whole : whole.replaceAll('=', '');

          const cut = redaction([value])(`authorization: Basic ${encoded}, "x"`);

          expect(decodesTo(encoded, value)).toBe(true);
          expect(decodesTo(cut, value)).toBe(false);
        }),
        { numRuns: RUNS },
      );
    },
  );

  it('leaves other texts unchanged', () => {
    const innocent = fc.string({ unit: fc.constantFrom(...'abcdefgh 0123456789.:/') });
    fc.assert(
      fc.property(innocent, (text) => {
        expect(redaction(['QUITE-ANOTHER', 'KEY_OF_CAPITALS'])(text)).toBe(text);
      }),
    );
  });

  it('leaves no secret whose base64 has its slashes escaped', () => {
    const value = 'key???>>>key???';
    const encoded = Buffer.from(value).toString('base64').replaceAll('/', '\\/').replaceAll('+', '%2B');

    expect(redaction([value])(`"${encoded}"`)).toBe('"[redacted]"');
  });

  it('takes no longer for a long row of backslashes', () => {
    const { user: before } = process.threadCpuUsage();

    redaction(['/key+of\\awkward"characters', 'a???b'])('\\'.repeat(1_000_000));

    expect(process.threadCpuUsage().user - before).toBeLessThan(2_000_000);
  });

  it.each<[string, string[], string, string]>([
    ['every occurrence', ['k3y'], 'k3y and k3y', '[redacted] and [redacted]'],
    ['the longer of two secrets that begin alike', ['key', 'key-long'], 'a key-long', 'a [redacted]'],
    ['a space that became a plus', ['a key'], 'q=a+key', 'q=[redacted]'],
    ['characters that mean something in a pattern', ['a.*(b'], 'a.*(b axx(b', '[redacted] axx(b'],
    ['what only the cut puts together', [']x'], ']xx', '[redacted[redacted]'],
    ['a secret that the mark itself would bring back', ['e'], 'secret', 'scrt'],
    ['nothing for empty secrets', ['', ''], 'text', 'text'],
    ['nothing without secrets', [], 'text', 'text'],
  ])('cuts %s', (_what, secrets, text, expected) => {
    expect(redaction(secrets)(text)).toBe(expected);
  });
});
