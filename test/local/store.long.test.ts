import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { writeAssembly } from './fixture.ts';

const main = join(import.meta.dirname, '../../local/main.ts');
const SIZE = 8_000_000;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'marketdata-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A function that uses the store. */
const storing = { routes: { $default: 'A' }, functions: { A: { environment: { HISTORY_BUCKET: '' } } } };

const put = (url: string, body: Buffer<ArrayBuffer>) => fetch(url, { method: 'PUT', body });

test('a SIGKILL during a put leaves the whole old object or the whole new one', async () => {
  const folder = temporaryFolder();
  const assembly = await writeAssembly(storing);
  for (let round = 0; round < 4; round++) {
    const { child, s3 } = await startMain(['--assembly', assembly, '--store', folder]);
    const object = `${s3}/history/large`;
    const bytes = Buffer.from(await (await fetch(object)).arrayBuffer());
    if (round > 0) expect([bytes.length, new Set(bytes).size]).toEqual([SIZE, 1]);

    await put(object, Buffer.alloc(SIZE, `${round}`));
    const putting = Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((byte) => put(object, Buffer.alloc(SIZE, byte))),
    );
    await sleep(10 + 15 * round);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await putting;
  }
}, 120_000);

async function startMain(args: string[]): Promise<{ child: ChildProcess; s3: string }> {
  const child = spawn(process.execPath, [main, '--port', '0', ...args], {
    env: { PATH: process.env.PATH, COINPAPRIKA_BASE_URL: 'http://127.0.0.1:9/v1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await expect.poll(() => printed, { timeout: 60_000 }).toContain('(bucket local)');
  const [, url] = /^Store {5}\S+, as S3 on (\S+) \(bucket local\)$/m.exec(printed) ?? [];
  return { child, s3: `${url}/local` };
}
