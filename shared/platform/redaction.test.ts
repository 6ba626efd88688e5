import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redaction } from './redaction.ts';

// An environment variable holds whole characters and no NUL. A small alphabet makes the hard cases likely.
const character = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  fc.constantFrom(...'aAbB01+/=%&_- .*$[]()redacted'),
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

/** Whether any run of base64 in the text decodes, at any place of its groups, to something that holds the secret. */
function decodesTo(text: string, value: string): boolean {
  const runs = text.match(/[\w+/-]+/g) ?? [];
  return runs.some((run) =>
    [0, 1, 2, 3].some((skipped) => Buffer.from(run.slice(skipped), 'base64').includes(value)),
  );
}

describe('a redaction', () => {
  it('leaves no secret raw, whatever stands around it', () => {
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 3 }),
        around,
        around,
        (secrets, before, after) => {
          const cut = redaction(secrets)(`${before}${secrets.join(after)}${after}`);

          for (const value of secrets) expect(cut).not.toContain(value);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('leaves no secret percent-encoded in upper, lower or mixed case, in whole or in part', () => {
    fc.assert(
      fc.property(
        secret,
        around,
        around,
        fc.array(fc.nat(2), { minLength: 1 }),
        (value, before, after, choices) => {
          const encoded = percentEncoded(value, choices);

          const cut = redaction([value])(`${before}${encoded}${after}`);

          expect(cut).not.toContain(encoded);
        },
      ),
      { numRuns: 1000 },
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
        { numRuns: 1000 },
      );
    },
  );

  it('changes no text that holds nothing of a secret', () => {
    const innocent = fc.string({ unit: fc.constantFrom(...'abcdefgh 0123456789.:/') });
    fc.assert(
      fc.property(innocent, (text) => {
        expect(redaction(['QUITE-ANOTHER', 'KEY_OF_CAPITALS'])(text)).toBe(text);
      }),
    );
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
