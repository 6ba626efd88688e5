/** Prints which place the right answer has among an engine's first five: `quality.ts <engine> <folder>`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EngineName, openers } from './engines.ts';
import { QUERIES_FILE } from './measure.ts';
import type { TestQuery } from './queries.ts';

const [engine = '', folder = ''] = process.argv.slice(2);
const queries: readonly TestQuery[] = JSON.parse(readFileSync(join(folder, QUERIES_FILE), 'utf8'));
const open = await openers[engine as EngineName]();
const { search } = open(folder);
console.log(JSON.stringify(queries.map(({ text, id }) => search(text).slice(0, 5).indexOf(id))));
