import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultStackSynthesizer } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { type StageConfig, stageConfig, stageNames } from '../../infra/config.ts';
import { newApp, stackOf } from './synthesized.ts';

const qualifierOf = (stage: string) =>
  stageConfig(stage).qualifier ?? DefaultStackSynthesizer.DEFAULT_QUALIFIER;

/** Names of what `cdk bootstrap` makes, wherever the assembly of a stage speaks of it. */
function bootstrapNamesOf(stage: string, changes: Partial<StageConfig>): string[] {
  const app = newApp();
  stackOf(stage, changes, app);
  const { directory } = app.synth();
  const texts = globSync('**/*.json', { cwd: directory }).map((file) =>
    readFileSync(join(directory, file), 'utf8'),
  );
  const names = texts.flatMap(
    (text) => text.match(/cdk-bootstrap\/\w+\/|cdk-\w+-(assets|[a-z-]+-role)-/g) ?? [],
  );
  return [...new Set(names)].sort();
}

describe('what a stage is deployed with', () => {
  test.each([
    ...stageNames.map((stage) => [stage, qualifierOf(stage), {}] as const),
    ['dev', 'mdown', { qualifier: 'mdown' }] as const,
  ])('stage %s names the roles, the bucket and the parameter of %s, and no others', (stage, own, changes) => {
    expect(bootstrapNamesOf(stage, changes)).toEqual([
      `cdk-bootstrap/${own}/`,
      `cdk-${own}-assets-`,
      `cdk-${own}-cfn-exec-role-`,
      `cdk-${own}-deploy-role-`,
      `cdk-${own}-file-publishing-role-`,
      `cdk-${own}-lookup-role-`,
    ]);
  });

  test('no other stage has that of prod, so that the role that deploys dev cannot deploy prod', () => {
    expect(stageNames.filter((stage) => qualifierOf(stage) === qualifierOf('prod'))).toEqual(['prod']);
  });

  test('docs/operations.md bootstraps every stage that has one of its own', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    for (const stage of stageNames) {
      const { qualifier, region } = stageConfig(stage);
      if (!qualifier) continue;
      const command = `npx cdk bootstrap aws://<account>/${region} --qualifier ${qualifier} --toolkit-stack-name CDKToolkit-${qualifier}`;
      expect(page.includes(command), command).toBe(true);
    }
  });
});
