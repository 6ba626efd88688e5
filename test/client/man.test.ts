import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shownCommands } from '../../client/cli/own-commands.ts';
import manifest from '../../client/cli/package.json' with { type: 'json' };
import { programs } from '../../client/cli/programs.ts';
import { exitStatuses, settingTable, variableTable } from '../../client/cli/settings.ts';
import { commandTable } from '../../client/commands/parse/table.ts';
import { manPages } from '../../scripts/man/pages.ts';
import { escaped } from '../../scripts/man/troff.ts';

const folder = join(import.meta.dirname, '../../client/cli/man');
const page = readFileSync(join(folder, 'marketdata.1'), 'utf8');

/** Its part from one heading of a command to the next. */
function partOf(title: string): string {
  const [part = ''] = page.split(/^\.S[SH] /m).filter((text) => text.startsWith(`"${escaped(title)}`));
  return part;
}

test('the manual pages are those of the table: npm run generate -- man', () => {
  const written = Object.fromEntries(
    readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );
  expect(written).toEqual(manPages());
});

test('every program has a page, and the package names it', () => {
  const files = programs.map((program) => `${program}.1`);
  expect(readdirSync(folder).sort()).toEqual([...files].sort());
  expect(manifest.man).toEqual(files.map((file) => `man/${file}`));
});

test.each(Object.entries(commandTable))(
  'the page has the command %s with its options and examples',
  (name, { short = name, options, examples }) => {
    const part = partOf(short === name ? name : `${short}, ${name}`);
    for (const [option, { summary }] of Object.entries(options)) {
      expect(part).toContain(`.B "${escaped(`--${option}`)}`);
      expect(part).toContain(escaped(summary));
    }
    for (const example of examples) expect(part).toContain(`${escaped(example)}\n`);
  },
);

test('the page has the commands of marketdata alone, and what all programs have', () => {
  for (const [name] of shownCommands) expect(partOf(`marketdata ${name}`)).not.toBe('');
  for (const option of Object.keys(settingTable)) expect(partOf('OPTIONS')).toContain(escaped(`--${option}`));
  for (const variable of ['MARKETDATA_URL', ...Object.keys(variableTable)]) {
    expect(partOf('ENVIRONMENT')).toContain(`.B "${variable}"`);
  }
  for (const meaning of exitStatuses) expect(partOf('EXIT STATUS')).toContain(meaning);
});

test.each([
  ['.TH at the start', '\\&.TH at the start'],
  ["'quoted'", "\\&'quoted'"],
  ['C:\\temp', 'C:\\etemp'],
  ['--json, eur …', '\\-\\-json, eur ...'],
  ['€ ₿', '\\[u20AC] \\[u20BF]'],
])('the text %j is no request and no escape of troff', (text, written) => {
  expect(escaped(text)).toBe(written);
});
