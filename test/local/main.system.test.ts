import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readyText } from '../../local/banner.ts';
import { readOptions, UsageError } from '../../local/options.ts';
import { refuseUnusableSettings } from '../../local/settings.ts';
import { get, obedient, serveFixture, writeAssembly } from './fixture.ts';

// To start takes two seconds of CPU, on a busy machine many more.
vi.setConfig({ testTimeout: 90_000 });

const main = join(import.meta.dirname, '../../local/main.ts');
const unreachable = { COINPAPRIKA_BASE_URL: 'http://127.0.0.1:9/v1' };

function start(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, ...unreachable, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.err += text;
  });
  return { child, printed };
}

/** A zombie, for which its new parent may never wait, does not run. */
function isRunning(pid: string): boolean {
  return existsSync(`/proc/${pid}`) && !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** When all that it printed has been read. */
async function exitCode(child: ChildProcess): Promise<number | null> {
  await once(child, 'close');
  return child.exitCode;
}

/** A function that prints its process and the folder of its copy. */
const printing = `console.log(process.pid, process.cwd()); export const handler = async () => 1;`;

async function expectGone(printed: { readonly err: string }, end: () => Promise<void>): Promise<void> {
  const line = /\[\w+\] (\d+) (\S+)\n/;
  await expect.poll(() => printed.err).toMatch(line);
  const [, pid = '', folder = ''] = line.exec(printed.err) ?? [];
  expect(isRunning(pid)).toBe(true);
  await end();
  await expect.poll(() => isRunning(pid)).toBe(false);
  await expect.poll(() => existsSync(folder)).toBe(false);
}

async function ready(printed: { out: string }): Promise<string> {
  await expect.poll(() => printed.out, { timeout: 60_000 }).toContain('Mode ');
  return /on (http:\S+)/.exec(printed.out)?.[1] ?? '';
}

test('it prints what it serves, from which provider, and an example; SIGTERM ends it and its processes', async () => {
  const assembly = await writeAssembly({
    routes: { 'GET /coins/{id}': 'A', $default: 'A' },
    functions: { A: { code: printing } },
  });
  const { child, printed } = start(['--assembly', assembly, '--port', '0']);
  const url = await ready(printed);
  expect(printed.out).toBe(`
Serving fixture on ${url}

  GET   /coins/{id}
  *     any other path

Provider  http://127.0.0.1:9/v1, as COINPAPRIKA_BASE_URL says
Mode      development, one process per function, no key needed
Try       curl ${url}/coins/btc-bitcoin

`);
  expect(printed.err).toBe('');
  expect(await get(`${url}/coins/x`)).toMatchObject({ status: 200 });
  await expectGone(printed, async () => {
    child.kill('SIGTERM');
    expect(await exitCode(child)).toBe(0);
  });
});

test('it prints the faults, the stage, and that production needs a key', async () => {
  const service = await serveFixture(obedient(), {}, 'marketdata-local');
  const faults = ['lie=scaled', 'binance:status=451'];
  const text = readyText(
    service,
    { containers: 1, freeze: false, assembly: '', faults },
    { NODE_ENV: 'production' },
  );
  expect(text).toContain('\nFAULTS    coinpaprika:lie=scaled, binance:status=451\n');
  expect(text).toContain('\nStage     local, with every route (infra/config.ts)\n');
  expect(text).toContain('WITHOUT CLIENT_API_KEY EVERY REQUEST GETS 500 Server configuration error');
});

test('SIGKILL leaves no process, not even a frozen one, and no copy', async () => {
  const assembly = await writeAssembly(obedient({ code: printing }));
  const { child, printed } = start(['--assembly', assembly, '--port', '0', '--freeze']);
  await get(await ready(printed));
  await expectGone(printed, async () => {
    child.kill('SIGKILL');
    expect(await exitCode(child)).toBe(null);
  });
});

test('a port in use is status 1, and names the flag for another', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.on('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? String(address.port) : '';

  const { child, printed } = start([], { PORT: port });
  expect(await exitCode(child)).toBe(1);
  expect(printed.err).toContain(`Port ${port} is in use. Choose another with --port N or PORT=N`);
});

test('a usage error is status 2, and names the help', async () => {
  const { child, printed } = start(['--fault', 'explode']);
  expect(await exitCode(child)).toBe(2);
  expect(printed.err).toMatch(/^--fault: Bad fault "explode".*\nSee npm start -- --lambda --help\n$/s);
});

test.each([
  [['--prot', '80'], "Unknown option '--prot'"],
  [['--port', 'x'], '--port must be an integer from 0 to 65535, not "x"'],
  [['--containers', '0'], '--containers must be an integer from 1 to 100, not "0"'],
  [['--live', '--simulated'], '--live and --simulated exclude each other'],
  [['--store', 'here', '--no-store'], '--store and --no-store exclude each other'],
  [['extra'], "Unexpected argument 'extra'"],
])('%j is a usage error', (args, problem) => {
  expect(() => readOptions(args, {})).toThrow(UsageError);
  expect(() => readOptions(args, {})).toThrow(problem);
});

test('all unusable settings are named at once, secrets without their values', () => {
  const env = {
    COINPAPRIKA_BASE_URL: 'notaurl',
    UPSTREAM_TIMEOUT_MS: 'abc',
    ID_SOURCES: 'coingecko,elsewhere',
    PORT: '99999',
    ALLOWED_HOSTS: 'http://devbox',
    CORS_ORIGINS: 'devbox:5173',
    REGISTRY_SOURCE: 'lvie',
    MAINNET_RPC_URL: 'infura.example/key-of-the-node',
    SEPOLIA_RPC_URL: 'secretsmanager:sepolia',
  };
  expect(() => refuseUnusableSettings(env)).toThrow(
    expect.objectContaining({
      message: `Settings that cannot be used:
  PORT="99999" must be an integer from 0 to 65535
  ALLOWED_HOSTS="http://devbox" must be a comma list of host names without ports, such as host.docker.internal
  CORS_ORIGINS="devbox:5173" must be a comma list of origins such as http://devbox:5173, or *
  REGISTRY_SOURCE="lvie" must be live, simulated or the path of a list file
  COINPAPRIKA_BASE_URL="notaurl" must be an http:// or https:// URL
  ID_SOURCES="coingecko,elsewhere" must be a comma list of coingecko, each once, or empty
  UPSTREAM_TIMEOUT_MS="abc" must be an integer from 100 to 14000
  MAINNET_RPC_URL must be an http:// or https:// URL, or two of them separated by a comma`,
    }),
  );
});
