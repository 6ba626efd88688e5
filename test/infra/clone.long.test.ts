/** The commands of a deployment on a clone on which dependencies are installed and nothing is built. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Loopback, respond, startLoopback } from '../pipeline/loopback.ts';

const root = join(import.meta.dirname, '../..');
const made = ['.git', '.local', 'node_modules', 'dist', 'cdk.out'];

let clone: string;
let aws: Loopback;
beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'marketdata-clone-'));
  for (const name of readdirSync(root).filter((name) => !made.includes(name)))
    cpSync(join(root, name), join(clone, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  aws = await startLoopback(
    respond(403, { 'content-type': 'application/json' }, '{"__type":"AccessDenied"}'),
  );
});
afterAll(async () => {
  rmSync(clone, { recursive: true, force: true });
  await aws.close();
});

function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_MAX_ATTEMPTS: '1',
  };
  return new Promise((resolve) => {
    execFile(command, args, { cwd: clone, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: `${stdout}${stderr}` }),
    );
  });
}

describe('on a clone on which nothing is built', { timeout: 180_000 }, () => {
  it('npx cdk bootstrap gets as far as its first request to AWS', async () => {
    const before = aws.requests.length;
    const { output } = await run('npx', ['cdk', 'bootstrap', 'aws://111122223333/us-east-1']);

    expect(output).toContain('Bootstrapping environment aws://111122223333/us-east-1');
    expect(output).not.toContain('run npm run');
    expect(aws.requests.length).toBeGreaterThan(before);
    expect(existsSync(join(clone, 'dist'))).toBe(false);
  });

  it('npm run synth builds missing parts, and writes the template', async () => {
    const { code, output } = await run('npm', ['run', 'synth', '--', '--quiet']);

    expect(output).not.toContain('Error');
    expect(code).toBe(0);
    expect(existsSync(join(clone, 'cdk.out/marketdata-dev.template.json'))).toBe(true);
  });
});
