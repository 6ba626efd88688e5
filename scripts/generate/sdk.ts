/** Writes client/sdk/routes.ts from the route table. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { routes } from '../../functions/routes.ts';
import { formatted } from '../sdk/formatted.ts';
import { sdkSource } from '../sdk/source.ts';

const file = 'client/sdk/routes.ts';
const path = join(import.meta.dirname, '../..', file);
await writeFile(path, formatted(sdkSource(routes), file));
console.log(`Written ${path}`);
