/**
 * Prints which place the right answer has among an engine's first five, -1 for none, of the queries that it answers
 * within the time: `quality.ts <engine> <folder> <ms>`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestQuery } from '../../test/registry/queries.ts';
import { type EngineName, openers } from './engines.ts';
import { QUERIES_FILE } from './measure.ts';

const [engine = '', folder = '', milliseconds = ''] = process.argv.slice(2);
const queries: readonly TestQuery[] = JSON.parse(readFileSync(join(folder, QUERIES_FILE), 'utf8'));
const open = await openers[engine as EngineName]();
const { search } = open(folder);
const end = performance.now() + Number(milliseconds);
const places: number[] = [];
for (const { text, id } of queries) {
  if (performance.now() > end) break;
  places.push(search(text).slice(0, 5).indexOf(id));
}
console.log(JSON.stringify(places));
