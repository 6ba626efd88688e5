/** `npm run generate -- cost`: writes docs/cost.md from the templates of all stages and docs/measured.json. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { costDocument } from './cost/document.ts';
import { MEASURED_FILE } from './measured.ts';

const folder = mkdtempSync(join(tmpdir(), 'marketdata-cost-'));
try {
  const measured = JSON.parse(readFileSync(MEASURED_FILE, 'utf8'));
  writeFileSync(join(import.meta.dirname, '../docs/cost.md'), costDocument(folder, measured));
} finally {
  rmSync(folder, { recursive: true });
}
