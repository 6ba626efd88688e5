import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
const noCredentials = 'No AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY\n';
const noRegion = 'No AWS region: set AWS_REGION, such as AWS_REGION=us-east-1\n';
const unknownStage = 'Unknown stage "foo": use -c stage=<name> with one of hobby, dev, prod\n';

/** A command of this repository on a machine without AWS settings. */
async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: inject('runFolder'), AWS_EC2_METADATA_DISABLED: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code: child.exitCode };
}

test.each([
  ['deploy', [], {}, noCredentials],
  ['deploy', ['--require-approval', 'never'], keys, noRegion],
  ['deploy', ['-c', 'stage=foo'], keys, unknownStage],
  ['versions', ['show', 'marketdata-dev'], { AWS_REGION: 'eu-central-1' }, `show failed: ${noCredentials}`],
  ['keys', ['list', '--stage', 'dev'], keys, `list failed: ${noRegion}`],
])('npm run %s -- %j with %j says what to set, and does nothing', async (name, args, env, problem) => {
  const { out, err, code } = await run([`scripts/${name}.ts`, ...args], env);
  expect({ out, code }).toEqual({ out: '', code: 1 });
  expect(err.slice(0, problem.length)).toBe(problem);
  expect(err).not.toMatch(/^ +at /m);
});

test('synth of an unknown stage lists the stages, without a stack trace', async () => {
  const context = JSON.stringify({ stage: 'foo' });
  const env = { CDK_CONTEXT_JSON: context, CDK_OUTDIR: join(inject('runFolder'), 'cdk.out') };
  expect(await run(['infra/app.ts'], env)).toEqual({ out: '', err: unknownStage, code: 1 });
});
