import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandTable } from '../../client/commands/parse/table.ts';
import { wordsOf } from '../../client/commands/parse/words.ts';
import { runProgram } from './program.ts';
import { type ClientService, startService } from './service.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/client.md'), 'utf8');
const commands = [...text.matchAll(/^npx (.+)$/gm)].map(([, command = '']) => command);

let service: ClientService;
beforeAll(async () => {
  service = await startService({ store: true }); // exchange rates are published there
});
afterAll(() => service.close());

test.each(commands)('npx %s works as documented', async (command) => {
  const [program = '', ...args] = wordsOf(command);
  expect(await runProgram(program, args, { url: service.url })).toMatchObject({ code: 0 });
});

test.each(Object.entries(commandTable))(
  'the options of %s are all documented',
  (_name, { short, options }) => {
    const [row = ''] = text.split('\n').filter((line) => line.startsWith(`| \`${short ?? 'help'} `));
    for (const option of Object.keys(options)) expect(row).toContain(`\`--${option}\``);
  },
);
