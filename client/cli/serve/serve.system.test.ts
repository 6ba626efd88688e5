import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { resolved, tickerOf } from '../../../test/client/stub-api.ts';
import { runProgram } from '../main.ts';
import type { Program } from '../programs.ts';

const answers = { resolve: { success: true, data: resolved() }, ticker: { success: true, data: tickerOf() } };

/** In place of `local/main.ts`: listens where it is told, and ends at a signal. */
const service = `
  import { createServer } from 'node:http';
  const answers = ${JSON.stringify(answers)};
  const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
  console.log('with npm: ' + process.env.npm_lifecycle_event);
  createServer((request, response) => {
    const [, name] = /marketdata\\/(\\w+)/.exec(request.url) ?? [];
    response.writeHead(200, { 'content-type': 'application/json', 'x-data-source': 'coinbase' });
    response.end(JSON.stringify(answers[name] ?? {}));
  }).listen(port, '127.0.0.1');
  process.on('SIGTERM', () => process.exit(0));
`;

/** A folder with what the programs need of a repository. */
function repositoryWith(main: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'marketdata-serve-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['local', 'scripts']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'local/main.ts'), main);
  writeFileSync(join(folder, 'scripts/ensure-installed.mjs'), '');
  return folder;
}

interface Setting {
  readonly repository?: string;
  readonly isTTY?: boolean;
  /** What is typed at the question; undefined: the input ends instead. */
  readonly typed?: string;
}

async function ran(program: Program, args: readonly string[], { repository, isTTY = true, typed }: Setting) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })];
  if (typed === undefined) stdin.end();
  else stdin.write(typed);
  const env = { NO_COLOR: '1', TERM: 'dumb', npm_lifecycle_event: 'npx' };
  const code = await runProgram(program, args, { env, stdin, stdout, stderr, repository });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

/** An address at which nobody listens: its port was free a moment ago, and is none that the system gives to others. */
async function addressOfNobody(): Promise<string> {
  const port = randomInt(20_000, 30_000);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
  return `http://localhost:${port}`;
}

const QUESTION = 'Start it now? [Y/n] ';

test.each(['\n', 'y\n', 'Yes\n'])(
  'at %j the service is started, the command answered, and the way to stop it told',
  async (typed) => {
    const repository = repositoryWith(service);
    const url = await addressOfNobody();

    const { code, stdout, stderr } = await ran('cprice', ['BTC', '--url', url], { repository, typed });

    const pid = Number(/^To stop it: kill (\d+)$/m.exec(stderr)?.[1]);
    const end = () => process.kill(pid, 'SIGTERM');
    onTestFinished(() => void (isRunning(pid) && end()));
    expect(stderr).toContain(`No service answers at ${url}. ${QUESTION}`);
    expect(stdout).toMatch(/^Bitcoin \(BTC\)\nPrice: +\$67,123\.46\n/);
    expect(code).toBe(0);
    expect((await fetch(url)).status).toBe(200);
    expect(readFileSync(join(repository, '.local/serve.log'), 'utf8')).toBe('with npm: undefined\n');
    end();
    await expect.poll(() => isRunning(pid)).toBe(false);
  },
);

test.each(['n\n', 'no\n', 'what?\n', undefined])('at %j it is not, and the failure told', async (typed) => {
  const repository = repositoryWith(service);
  const url = await addressOfNobody();
  const { code, stderr } = await ran('cprice', ['BTC', '--url', url], { repository, typed });
  expect(stderr).toContain(QUESTION);
  expect(stderr).toMatch(/Price fetch failed for BTC: .*ECONNREFUSED/);
  expect(stderr).toMatch(/Start it with npx marketdata serve or npm start, or name another/);
  expect(code).toBe(4);
  await expect(fetch(url)).rejects.toThrow();
});

test('a service that does not start is told with its last words', async () => {
  const repository = repositoryWith(`console.error('Port 1 is in use.'); process.exit(1);`);
  const url = await addressOfNobody();
  const { code, stderr } = await ran('cprice', ['BTC', '--url', url], { repository, typed: '\n' });
  expect(stderr).toContain('It did not start:\nPort 1 is in use.\n');
  expect(code).toBe(4);
});

test('nobody is asked without a terminal, in an installed package, or for an address that is not of this machine', async () => {
  const repository = repositoryWith(service);
  const url = await addressOfNobody();
  const pipe = await ran('cprice', ['BTC', '--url', url], { repository, isTTY: false, typed: '\n' });
  const installed = await ran('cprice', ['BTC', '--url', url], { typed: '\n' });
  const far = await ran('cprice', ['BTC', '--url', `${url}/prices`], { repository, typed: '\n' });

  for (const { code, stderr } of [pipe, installed, far]) {
    expect(stderr).not.toContain(QUESTION);
    expect(code).toBe(4);
  }
  expect(pipe.stderr).toContain('Start it with npx marketdata serve');
  expect(installed.stderr).toContain(
    'npx marketdata serve says where one comes from; or name another with --url',
  );
  expect(far.stderr).toContain(`Is the service running at ${url}/prices? If not, name another with --url`);
});

test('something else at the address is not asked about: it is told as it is', async () => {
  const server = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  const url = `http://localhost:${port}`;
  const { code, stderr } = await ran('cprice', ['BTC', '--url', url], {
    repository: repositoryWith(service),
    typed: '\n',
  });
  expect(stderr).not.toContain(QUESTION);
  expect(stderr).not.toContain('Is the service running');
  expect(code).toBe(1);
});

test('the prompt asks once, before it reads commands', async () => {
  const repository = repositoryWith(service);
  const url = await addressOfNobody();
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  let screen = '';
  for (const stream of [stdout, stderr]) stream.on('data', (chunk: Buffer) => (screen += String(chunk)));
  const env = { NO_COLOR: '1', TERM: 'dumb', XDG_STATE_HOME: repository };
  const ended = runProgram('marketdata', ['--url', url], { env, stdin, stdout, stderr, repository });
  await expect.poll(() => screen).toContain(QUESTION);
  stdin.write('n\n');
  await expect.poll(() => screen).toContain('marketdata> ');
  stdin.write('cprice BTC\r');
  await expect.poll(() => screen).toContain('Is the service running');
  stdin.write('exit\r');
  expect(await ended).toBe(4);
  expect(screen.split(QUESTION)).toHaveLength(2);
});

test('serve of an installed package says where a service comes from', async () => {
  const { code, stdout, stderr } = await ran('marketdata', ['serve', '--port', '1'], {});
  expect(stderr).toMatch(/brings the programs of the terminal, and no service/);
  expect(stderr).toMatch(/npm start[\s\S]*MARKETDATA_URL/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test.each([
  ['help', 'serve'],
  ['serve', '--help'],
])('marketdata %s %s tells how it is used', async (...args) => {
  const { code, stdout } = await ran('marketdata', args, {});
  expect(stdout).toMatch(/^Usage: marketdata serve \[options\]\n/);
  expect(code).toBe(0);
});

test('the help of all commands lists those of marketdata alone, and no hidden one', async () => {
  const { stdout } = await ran('marketdata', ['help'], {});
  expect(stdout).toMatch(/Of marketdata alone\n {2}watch /);
  expect(stdout).not.toMatch(/^ {2}complete /m);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
