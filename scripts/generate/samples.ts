/** Example requests of one operation in three languages, for `x-codeSamples`. */
import type { Route } from '../../shared/http/route.ts';
import { exampleBody, exampleUrl } from './examples.ts';
import { namesOf } from './sdk.ts';

/** The address of `npm start`; the reference page replaces it with its own. */
const SERVICE = 'http://localhost:3000';

export interface CodeSample {
  readonly lang: 'curl' | 'TypeScript' | 'Python';
  readonly source: string;
}

interface Sampled extends Pick<Route, 'path' | 'parameters' | 'example'> {
  readonly name: string;
  readonly method: string;
  readonly hasBody?: boolean;
  /** True for a protocol without the envelope: the whole example is the body. */
  readonly isMessage?: boolean;
  /** The client has a method for it. */
  readonly isInClient: boolean;
  readonly isText?: boolean;
}

/** The example request of an operation. Each sends the key in `API_KEY`; without one, it works where no key is needed. */
export function codeSamples(sampled: Sampled): CodeSample[] {
  const { path, parameters, isMessage = false, hasBody = false } = sampled;
  const unknown = parameters
    .filter(({ in: place }) => place === 'path')
    .map(({ name }) => [name, `your-${name}`]);
  const example = { ...Object.fromEntries(unknown), ...sampled.example };
  const url = SERVICE + exampleUrl({ path, parameters: isMessage ? [] : parameters, example });
  const body = isMessage ? example : hasBody ? exampleBody({ parameters, example }) : undefined;
  const text = body && JSON.stringify(body);
  return [
    { lang: 'curl', source: curl(url, text) },
    {
      lang: 'TypeScript',
      source: sampled.isInClient ? clientCall(sampled, example) : fetchCall(url, text, sampled.isText),
    },
    { lang: 'Python', source: python(url, text, sampled.isText) },
  ];
}

function curl(url: string, body: string | undefined): string {
  const lines = [`curl ${quoted(url)}`, '-H "x-api-key: $API_KEY"'];
  if (body) lines.push("-H 'content-type: application/json'", `-d ${quoted(body)}`);
  return lines.join(' \\\n  ');
}

function clientCall({ name, parameters }: Sampled, example: Readonly<Record<string, unknown>>): string {
  const lists = parameters.filter(({ type }) => type === 'list').map((parameter) => parameter.name);
  const input = Object.fromEntries(
    Object.entries(example).map(([key, value]) => [
      key,
      lists.includes(key) ? String(value).split(',') : value,
    ]),
  );
  const { domain, action } = namesOf(name);
  const given = Object.keys(input).length === 0 ? '' : literal(input);
  return `import { createClient } from 'marketdata-client';

const client = createClient({ baseUrl: '${SERVICE}', apiKey: process.env.API_KEY });
const { data } = await client.${domain}.${action}(${given});
console.log(data);`;
}

function fetchCall(url: string, body: string | undefined, isText = false): string {
  const headers = `{ 'x-api-key': process.env.API_KEY ?? ''${body ? ", 'content-type': 'application/json'" : ''} }`;
  return `const response = await fetch(${literal(url)}, {
${body ? "  method: 'POST',\n" : ''}  headers: ${headers},
${body ? `  body: JSON.stringify(${literal(JSON.parse(body))}),\n` : ''}});
console.log(await response.${isText ? 'text' : 'json'}());`;
}

function python(url: string, body: string | undefined, isText = false): string {
  const json = body ? ', "content-type": "application/json"' : '';
  return `${isText ? '' : 'import json\n'}import os
from urllib.request import Request, urlopen

request = Request(
    ${JSON.stringify(url)},
    headers={"x-api-key": os.environ.get("API_KEY", "")${json}},
${body ? `    data=r'''${body}'''.encode(),\n` : ''})
with urlopen(request) as response:
    print(${isText ? 'response.read().decode()' : 'json.load(response)'})`;
}

/** A value as TypeScript source. */
function literal(value: unknown): string {
  const lines = JSON.stringify(value, null, 2)
    .replace(/^(\s*)"(\w+)":/gm, '$1$2:')
    .replace(/"([^"'\\]*)"/g, "'$1'");
  return lines.length < 90 ? lines.replace(/\s*\n\s*/g, ' ') : lines;
}

/** Quoted for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
