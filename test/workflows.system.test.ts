import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';

const workflow = readFileSync(join(import.meta.dirname, '../.github/workflows/deploy.yml'), 'utf8');
const [, job = ''] = workflow.split(/^ {2}approved-commit:$/m);
const script = /^ {8}run: \|\n((?: {10}.*\n)+)/m.exec(job)?.[1]?.replace(/^ {10}/gm, '') ?? '';

/** In place of GitHub's command: prints what its filter would leave of the runs, and of the reviews of each. */
const gh = `#!/bin/sh
case "$*" in
  *"/deploy.yml/runs?branch=main&status=success"*'select(.event != "schedule")'*) cat runs-of-github ;;
  *"/approvals --jq "*'select(.state == "approved")'*) run=\${2%/approvals}; cat "reviews-of-\${run##*/}" ;;
  *) echo "unexpected: $*" >&2; exit 1 ;;
esac
`;

/** Runs the step; `runs` are `<end> <id> <commit>`, `reviews` the environments that were approved in each. */
function commitOf(runs: readonly string[], reviews: Readonly<Record<string, readonly string[]>>) {
  const folder = mkdtempSync(join(inject('runFolder'), 'workflow-'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/gh'), gh, { mode: 0o755 });
  writeFileSync(join(folder, 'runs-of-github'), runs.map((run) => `${run}\n`).join(''));
  for (const [run, environments] of Object.entries(reviews))
    writeFileSync(join(folder, `reviews-of-${run}`), environments.map((name) => `${name}\n`).join(''));
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    GITHUB_REPOSITORY: 'owner/name',
    GITHUB_OUTPUT: join(folder, 'output'),
  };
  writeFileSync(env.GITHUB_OUTPUT, '');
  // As a runner calls it.
  const { status, stdout } = spawnSync('bash', ['-e', '-c', script], { cwd: folder, env, encoding: 'utf8' });
  return { status, stdout, output: readFileSync(env.GITHUB_OUTPUT, 'utf8') };
}

describe('the daily deployment of prod', () => {
  it('takes the commit of the run that was approved last, in whatever order runs began', () => {
    const runs = ['2026-11-20T10:00:00Z 1 aaa', '2026-11-22T09:00:00Z 2 bbb', '2026-11-21T10:00:00Z 3 ccc'];

    expect(commitOf(runs, { 1: ['prod-approval'], 2: ['prod-approval'], 3: ['prod-approval'] })).toEqual({
      status: 0,
      stdout: '',
      output: 'commit=bbb\n',
    });
  });

  it('passes over a run that nobody reviewed, or that was reviewed for another environment', () => {
    const runs = ['2026-11-22T10:00:00Z 3 ccc', '2026-11-21T10:00:00Z 2 bbb', '2026-11-20T10:00:00Z 1 aaa'];

    expect(commitOf(runs, { 1: ['prod-approval'], 2: ['dev', 'not-prod-approval'], 3: [] })).toMatchObject({
      status: 0,
      output: 'commit=aaa\n',
    });
  });

  it('does not take place while nothing was approved', () => {
    for (const runs of [[], ['2026-11-22T10:00:00Z 1 aaa']])
      expect(commitOf(runs, { 1: [] })).toEqual({
        status: 1,
        stdout: 'No run was approved and came through: approve one first\n',
        output: '',
      });
  });
});
