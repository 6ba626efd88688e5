import { redaction, SHORTEST_KEY } from './redaction.ts';
import type { HttpAnswer, Post, Transport } from './transport.ts';

/**
 * A transport that cuts the secrets sent to a server out of its responses, headers included, so that no reader or cache ever
 * holds one. It belongs outside of the one that follows redirects, because it may cut their targets.
 */
export function withoutEcho(transport: Transport, secrets: readonly string[]): Transport {
  const cleaned = cleaner(secrets);
  return { get: async (path, timeoutMs) => cleaned(await transport.get(path, timeoutMs)) };
}

/** The same for POST requests. */
export function postWithoutEcho(post: Post, secrets: readonly string[]): Post {
  const cleaned = cleaner(secrets);
  return async (json, posting) => cleaned(await post(json, posting));
}

/** Cuts only texts that are long enough for a real key: a short one, such as `key` in a test, would cut innocent words. */
function cleaner(secrets: readonly string[]): (answer: HttpAnswer) => HttpAnswer {
  const keys = secrets.filter(({ length }) => length >= SHORTEST_KEY);
  if (keys.length === 0) return (answer) => answer;
  return ({ status, headers, body }) => {
    const redact = redaction(keys);
    const text = body.toString('utf8');
    const cut = redact(plain(text));
    const cutHeaders = Object.entries(headers).map(([name, value]) => [name, value && redact(String(value))]);
    return {
      status,
      headers: Object.fromEntries(cutHeaders),
      body: cut === text ? body : Buffer.from(cut),
    };
  };
}

/** A JSON text with what it escapes by number, and need not, as it is: base64 of a key is not found in numbers. */
function plain(json: string): string {
  if (!json.includes('\\u00')) return json;
  return json.replace(/(?<!\\)((?:\\\\)*)\\u00([2-7][0-9a-f])/gi, (escaped, before: string, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16));
    return character === '"' || character === '\\' ? escaped : before + character;
  });
}
