import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { synthesize } from '../../local/prepare.ts';

/** What is built, synthesized for the stage that has the protocol routes too. */
export const allRoutes = mkdtempSync(join(tmpdir(), 'marketdata-all-routes-'));
afterAll(() => rmSync(allRoutes, { recursive: true, force: true }));
await synthesize('local', allRoutes);
