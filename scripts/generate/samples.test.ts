import { describe, expect, test } from 'vitest';
import type { Parameter } from '../../shared/http/compile-schemas.ts';
import { codeSamples } from './samples.ts';

const parameter = (name: string, place: Parameter['in'], type: Parameter['type'] = 'string'): Parameter => ({
  name,
  in: place,
  type,
  required: true,
  allowed: '',
});
const sourcesOf = (sampled: Parameters<typeof codeSamples>[0]) =>
  Object.fromEntries(codeSamples(sampled).map(({ lang, source }) => [lang, source]));

describe('the samples of an operation', () => {
  test('read a list through the client, with the key of the environment', () => {
    const samples = sourcesOf({
      name: 'marketdata/tickers',
      path: '/api/marketdata/tickers',
      method: 'GET',
      parameters: [parameter('ids', 'query', 'list')],
      example: { ids: 'btc-bitcoin,eth-ethereum' },
      isInClient: true,
    });
    expect(samples.curl).toBe(
      `curl 'http://localhost:3000/api/marketdata/tickers?ids=btc-bitcoin%2Ceth-ethereum' \\\n  -H "x-api-key: $API_KEY"`,
    );
    expect(samples.TypeScript).toContain(
      "await client.marketdata.tickers({ ids: [ 'btc-bitcoin', 'eth-ethereum' ] });",
    );
    expect(samples.Python).toMatch(
      /^import json\nimport os\nfrom urllib\.request import Request, urlopen\n\nrequest = Request\(\n {4}"http:\S+",\n {4}headers=\{.*\},\n\)\nwith urlopen\(request\) as response:\n {4}print\(json\.load\(response\)\)$/,
    );
  });

  test('quote a body for the shell, also with an apostrophe in it', () => {
    const { curl = '', TypeScript } = sourcesOf({
      name: 'domain/act',
      path: '/act/{id}',
      method: 'POST',
      parameters: [parameter('id', 'path'), parameter('text', 'body')],
      example: { text: "it's" },
      hasBody: true,
      isInClient: false,
    });
    expect(curl).toContain(`'http://localhost:3000/act/your-id'`);
    expect(curl).toContain(`-d '{"text":"it'\\''s"}'`);
    expect(TypeScript).toContain(`body: JSON.stringify({ text: "it's" })`);
  });

  test('print the text of an answer that is no JSON', () => {
    const { TypeScript, Python } = sourcesOf({
      name: 'prices.csv',
      path: '/export/prices.csv',
      method: 'GET',
      parameters: [],
      example: {},
      isInClient: false,
      isText: true,
    });
    expect(TypeScript).toContain('await response.text()');
    expect(Python).toContain('response.read().decode()');
    expect(Python).not.toContain('json');
  });
});
