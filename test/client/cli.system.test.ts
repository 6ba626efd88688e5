import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programs } from '../../client/cli/own-commands.ts';
import { wordsOf } from '../../client/commands/parse/words.ts';
import { runInside, runProgram } from './program.ts';
import { type ClientService, startService } from './service.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/client.md'), 'utf8');
const documented = [...text.matchAll(/^npx (.+)$/gm)].map(([, command = '']) => command);

let service: ClientService;
beforeAll(async () => {
  service = await startService({ store: true }); // exchange rates are published there
});
afterAll(() => service.close());

/** Runs a command in this process, which saves half a second of CPU each. */
const run = (program: string, args: readonly string[]) =>
  runInside(programs.find((known) => known === program) ?? 'marketdata', args, { url: service.url });

test('cprice prints the report in another currency on stdout, and nothing on stderr', async () => {
  const { stdout, stderr, code } = await runProgram('cprice', ['BTC', '--currency', 'eur'], {
    url: service.url,
  });
  expect(stdout).toMatch(
    new RegExp(
      [
        '^Bitcoin \\(BTC\\)',
        'Price:       €[\\d,]+\\.\\d\\d',
        '24h change:  [+-]?[\\d,]+\\.\\d\\d%',
        'Market cap:  €\\d\\.\\d\\dT \\(rank #1\\)',
        '24h volume:  €[\\d.]+B',
        'Source:      simulated data, not real prices, as of (?:\\S+ )?\\d\\d:\\d\\d UTC; ' +
          'in EUR at the rate of \\d+ \\w+(?: \\d+)? \\(simulated\\); changes are those in USD\\n$',
      ].join('\\n'),
    ),
  );
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});

test.each(['-doggotothemoon', 'toto-totoro-inu-?'])('cprice finds the odd id %s', async (id) => {
  const { stdout, stderr, code } = await run('cprice', ['--json', '--', id]);
  expect(JSON.parse(stdout)).toMatchObject({ id });
  expect(stderr).toMatch(/^Note: simulated data, not real prices, as of (?:\S+ )?\d\d:\d\d UTC\n$/);
  expect(code).toBe(0);
});

test.each(documented)('npx %s works as documented', async (command) => {
  const [program = '', ...args] = wordsOf(command);
  expect(await run(program, args)).toMatchObject({ code: 0 });
});
