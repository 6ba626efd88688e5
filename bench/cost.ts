/** `npm run generate -- cost`: writes docs/cost.md from what is built. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import cdkJson from '../cdk.json' with { type: 'json' };
import { stageConfig } from '../infra/config.ts';
import { MarketDataStack } from '../infra/stack.ts';
import { costDocument } from './cost/document.ts';
import type { Measured } from './cost/estimate.ts';
import { templatesIn } from './cost/template.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'marketdata-cost-'));
const measured: Measured = JSON.parse(readFileSync(join(root, 'docs/measured.json'), 'utf8'));
try {
  const app = new App({ context: cdkJson.context, outdir: folder });
  new MarketDataStack(app, 'marketdata-prod', { stage: 'prod', config: stageConfig('prod') });
  const templates = templatesIn(app.synth().directory);
  writeFileSync(join(root, 'docs/cost.md'), costDocument(templates, measured));
} finally {
  rmSync(folder, { recursive: true });
}
