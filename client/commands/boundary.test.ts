import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ file, source: readFileSync(join(import.meta.dirname, file), 'utf8') }));

test.each(files)(
  '$file knows neither the process nor the page, and imports the core, the typed client, the guess at a mistyped word, the list of currencies, the rounding of converted prices, the cleaner of names, the field of a CSV file and the width of a text alone',
  ({ source }) => {
    const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    expect(code).not.toMatch(/\b(process|document|window|localStorage|globalThis)\b/);
    for (const [, from = ''] of code.matchAll(/^(?:import|export)\b[^;]*? from '([^']+)';/gm)) {
      expect(from).toMatch(
        /^\.\.?\/(?!.*\b(?:cli|web|functions|shared)\/)|\/shared\/(?:marketdata\/currencies|marketdata\/serve\/unit-rate|platform\/(?:clean-text|csv-field|mistyped))\.ts$|^string-width$/,
      );
    }
  },
);
