import { expect, test } from 'vitest';
import type { Parameter } from '../../shared/http/compile-schemas.ts';
import { codeSamples } from './samples.ts';

const parameter = (name: string, place: Parameter['in']): Parameter => ({
  ...{ name, in: place, type: 'string', required: true, allowed: '' },
});

test('samples quote a body for the shell, also with an apostrophe in it', () => {
  const samples = codeSamples({
    name: 'domain/act',
    path: '/act/{id}',
    method: 'POST',
    parameters: [parameter('id', 'path'), parameter('text', 'body')],
    example: { text: "it's" },
    hasBody: true,
    isInClient: false,
  });
  const [curl, typeScript] = samples.map(({ source }) => source);
  expect(curl).toContain(`'http://localhost:3000/act/your-id'`);
  expect(curl).toContain(`-d '{"text":"it'\\''s"}'`);
  expect(typeScript).toContain(`body: JSON.stringify({ text: "it's" })`);
});
