/** `npm run generate -- cost`: writes docs/cost.md from the template of stage prod and docs/measured.json. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { costDocument } from './cost/document.ts';
import { synthesized } from './deployed.ts';
import { MEASURED_FILE } from './measured.ts';

const folder = mkdtempSync(join(tmpdir(), 'marketdata-cost-'));
try {
  const measured = JSON.parse(readFileSync(MEASURED_FILE, 'utf8'));
  const document = costDocument(synthesized(folder), measured);
  writeFileSync(join(import.meta.dirname, '../docs/cost.md'), document);
} finally {
  rmSync(folder, { recursive: true });
}
