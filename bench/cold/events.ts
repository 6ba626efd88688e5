import type { routes } from '../../functions/routes.ts';
import { toEvent } from '../../http-api/event.ts';
import { KEY } from '../deployed.ts';

type Requested = Pick<(typeof routes)[number], 'method' | 'path' | 'hasBody'> & { readonly example: object };

/** The route's own example with other parameters, as API Gateway passes it. */
export function eventOf(
  { method, path, example, hasBody }: Requested,
  parameters: Readonly<Record<string, unknown>> = {},
) {
  const known = 'id' in example || !('id' in parameters);
  const all = Object.entries({ ...example, ...(known && parameters) });
  const given = all.filter(([, value]) => value !== undefined);
  const inPath = given.filter(([name]) => path.includes(`{${name}}`)).map(asTexts);
  const others = given.filter(([name]) => !path.includes(`{${name}}`));
  let filled: string = path;
  for (const [name, value] of inPath) filled = filled.replace(`{${name}}`, encodeURIComponent(value));
  const query = new URLSearchParams(hasBody ? [] : others.map(asTexts));
  const request = {
    method,
    target: query.size > 0 ? `${filled}?${query}` : filled,
    httpVersion: '1.1',
    headers: {
      host: ['abcdefghij.execute-api.us-east-1.amazonaws.com'],
      'x-api-key': [KEY],
      ...(hasBody && { 'content-type': ['application/json'] }),
    },
    body: Buffer.from(hasBody ? JSON.stringify(Object.fromEntries(others)) : ''),
    sourceIp: '10.1.0.1',
    port: 443,
    now: Date.now(),
  };
  const pathParameters = inPath.length > 0 ? Object.fromEntries(inPath) : undefined;
  return toEvent(request, `${method} ${path}`, pathParameters);
}

const asTexts = ([name, value]: readonly [string, unknown]): [string, string] => [name, String(value)];
