import { Agent, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer } from './service.ts';

interface Options {
  readonly headers?: Record<string, string>;
  /** Which address of this machine asks, as a client of its own: any of 127.0.0.0/8. */
  readonly from?: string;
}

const agent = new Agent({ keepAlive: false });

/** One POST of JSON, or of a text as it is, from an address of one's choice, which fetch cannot do. */
export async function post(
  url: string,
  body: unknown,
  { headers = {}, from }: Options = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const all = { 'content-type': 'application/json', ...headers };
  const request = httpRequest(
    url,
    { method: 'POST', agent, headers: all, localAddress: from },
    (response) => {
      text(response).then(
        (read) =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>, // none of ours comes twice
            body: JSON.parse(read),
          }),
        reject,
      );
    },
  );
  request.on('error', reject);
  request.end(typeof body === 'string' ? body : JSON.stringify(body));
  return promise;
}

/** The n-th client of a test, from 1. */
export function clientAddress(index: number, round = 0): string {
  return `127.0.${round + 1}.${index}`;
}
