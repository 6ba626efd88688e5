import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stageNames } from '../infra/config.ts';
import manifest from '../package.json' with { type: 'json' };
import { templateOf } from './infra/synthesized.ts';

const root = join(import.meta.dirname, '..');
const files = globSync('.github/workflows/*.yml', { cwd: root });
const text = (name: string) => readFileSync(join(root, name), 'utf8');
const matchesOf = (source: string, pattern: RegExp) =>
  [...source.matchAll(pattern)].map(([, found = '']) => found);

describe.each(files)('%s', (file) => {
  const source = text(file);

  it('runs only scripts and files that exist', () => {
    const scripts = matchesOf(source, /npm run ([a-z]+)/g);
    const paths = [...matchesOf(source, /uses: \.\/(\S+)/g), ...matchesOf(source, /run: (\.ci\/\S+)/g)];

    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('may do nothing but read unless a job says so', () => {
    expect(source).toMatch(/^permissions:\n {2}contents: read\n/m);
    expect(source).not.toContain('write-all');
  });

  it('keeps no keys of AWS: it asks for a role', () => {
    expect(source).not.toMatch(/aws-access-key-id|aws-secret-access-key|secrets\.AWS/i);
  });

  it('lets no job run for ever', () => {
    const runners = matchesOf(source, /(runs-on: .+\n {4}timeout-minutes: \d+)/g);
    expect(runners).toHaveLength(matchesOf(source, /(runs-on:)/g).length);
  });
});

describe('the deployment', () => {
  const deploy = text('.github/workflows/deploy.yml');
  const stage = text('.github/workflows/deploy-stage.yml');

  it('goes to stages that exist, dev before prod, and prod’s difference before its approval', () => {
    const runs = [...deploy.matchAll(/stage: (\w+), environment: ([\w-]+)/g)].map(([, name, environment]) => [
      name,
      environment,
    ]);

    expect(runs).toEqual([
      ['dev', 'dev'],
      ['prod', 'prod-diff'],
      ['prod', 'prod'],
      ['prod', 'prod-daily'],
    ]);
    for (const [name] of runs) expect(stageNames).toContain(name);
    expect(deploy).toMatch(/ {2}prod:\n {4}needs: prod-diff/);
  });

  it('runs every day, for the registry, with the commit that was approved last', () => {
    expect(deploy).toMatch(/cron: '\d+ \d+ \* \* \*'/);
    expect(deploy).toContain('environment: prod-daily, ref: deployed-prod');
    expect(stage).toContain('REGISTRY_SOURCE: live');
  });

  it('shows the difference before it deploys, and asks for a price after it', () => {
    const steps = ['npx cdk diff', 'npm run deploy', 'npx cprice BTC'].map((step) => stage.indexOf(step));

    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(steps).not.toContain(-1);
  });

  it('asks at the address of the distribution, with outputs that the stack has', () => {
    const outputs = matchesOf(stage, /\.\[\$stack\]\.(\w+)/g);

    expect(outputs).toEqual(['PageUrl', 'ClientApiKeyCommand']);
    expect(Object.keys(templateOf('prod').toJSON().Outputs)).toEqual(expect.arrayContaining(outputs));
  });
});
