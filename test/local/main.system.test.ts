import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { get, obedient, writeAssembly } from './fixture.ts';

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

/** A zombie does not run any more, though its new parent may never have asked for it. */
function isRunning(pid: string): boolean {
  return existsSync(`/proc/${pid}`) && !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** When all that it printed has been read. */
async function exitCode(child: ChildProcess): Promise<number | null> {
  await once(child, 'close');
  return child.exitCode;
}

async function ready(printed: { out: string }): Promise<string> {
  await expect.poll(() => printed.out).toContain('Mode ');
  return /on (http:\S+)/.exec(printed.out)?.[1] ?? '';
}

test('it says what it serves, from which provider, and what to try', async () => {
  const assembly = await writeAssembly({
    routes: { 'GET /coins/{id}': 'A', $default: 'A' },
    functions: { A: {} },
  });
  const { printed } = start(['--assembly', assembly, '--port', '0']);
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
});

test('it says which faults are on, and which stage it serves', async () => {
  const assembly = await writeAssembly(obedient(), 'marketdata-local');
  const faults = ['--fault', 'lie=scaled', '--fault', 'binance:status=451'];
  const { printed } = start(['--assembly', assembly, '--port', '0', ...faults], { COINPAPRIKA_BASE_URL: '' });
  await ready(printed);
  expect(printed.out).toContain('\nFAULTS    coinpaprika:lie=scaled, binance:status=451\n');
  expect(printed.out).toContain('\nStage     local, with every route (infra/config.ts)\n');
});

test('production without a key is said at the start', async () => {
  const { printed } = start(['--assembly', await writeAssembly(obedient()), '--port', '0'], {
    NODE_ENV: 'production',
  });
  await ready(printed);
  expect(printed.out).toContain('WITHOUT CLIENT_API_KEY EVERY REQUEST GETS 500 Server configuration error');
});

test.each([
  ['with --shared', ['--shared'], {}, true],
  ['in production, where it holds keys', [], { NODE_ENV: 'production', CLIENT_API_KEY: 'secret' }, true],
  ['in no other case', [], {}, false],
])('there is a table %s', async (_when, args, env, isThere) => {
  const assembly = await writeAssembly(obedient());
  const { printed } = start(['--assembly', assembly, '--port', '0', ...args], env);
  await ready(printed);
  expect(printed.out.includes('\nShared    DynamoDB-compatible server on http://127.0.0.1:')).toBe(isThere);
});

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  '%s leaves no process and no copy, frozen ones included',
  async (signal) => {
    const code = `console.log(process.pid, process.cwd()); export const handler = async () => 1;`;
    const { child, printed } = start([
      '--assembly',
      await writeAssembly(obedient({ code })),
      '--port',
      '0',
      '--freeze',
    ]);
    await get(await ready(printed));
    const line = /\[Obedient\] (\d+) (\S+)\n/;
    await expect.poll(() => printed.err).toMatch(line);
    const [, pid = '', folder = ''] = line.exec(printed.err) ?? [];
    expect(isRunning(pid)).toBe(true);

    child.kill(signal);
    expect(await exitCode(child)).toBe(signal === 'SIGKILL' ? null : 0);
    await expect.poll(() => isRunning(pid)).toBe(false);
    await expect.poll(() => existsSync(folder)).toBe(false);
  },
);

test('a port in use is named, with the flag that chooses another', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.on('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? String(address.port) : '';

  const { child, printed } = start([], { PORT: port });
  expect(await exitCode(child)).toBe(1);
  expect(printed.err).toContain(`Port ${port} is in use. Choose another with --port N or PORT=N`);
});

test('all settings that cannot be used are named at once, before anything listens', async () => {
  const { child, printed } = start(['--assembly', await writeAssembly(obedient())], {
    COINPAPRIKA_BASE_URL: 'notaurl',
    UPSTREAM_TIMEOUT_MS: 'abc',
    CANDLE_SOURCES: 'coinbase,bitfinex',
    PORT: '99999',
    ALLOWED_HOSTS: 'http://devbox',
    CORS_ORIGINS: 'devbox:5173',
    REGISTRY_SOURCE: 'lvie',
    MAINNET_RPC_URL: 'infura.example/key-of-the-node',
    SEPOLIA_RPC_URL: 'secretsmanager:sepolia',
  });

  expect(await exitCode(child)).toBe(1);
  expect(printed).toEqual({
    out: '',
    err: `Settings that cannot be used:
  PORT="99999" must be an integer from 0 to 65535
  ALLOWED_HOSTS="http://devbox" must be a comma list of host names without ports, such as host.docker.internal
  CORS_ORIGINS="devbox:5173" must be a comma list of origins such as http://devbox:5173, or *
  REGISTRY_SOURCE="lvie" must be live, simulated or the path of a list file
  COINPAPRIKA_BASE_URL="notaurl" must be an http:// or https:// URL
  CANDLE_SOURCES="coinbase,bitfinex" must be a comma list of coinbase, kraken, binance, each once, or empty
  UPSTREAM_TIMEOUT_MS="abc" must be an integer from 100 to 14000
  MAINNET_RPC_URL must be an http:// or https:// URL, or two of them separated by a comma
`,
  });
});

test.each([
  [['--prot', '80'], "Unknown option '--prot'"],
  [['--port', 'x'], '--port must be an integer from 0 to 65535, not "x"'],
  [['--containers', '0'], '--containers must be an integer from 1 to 100, not "0"'],
  [['--live', '--simulated'], '--live and --simulated exclude each other'],
  [['--fault', 'explode'], '--fault: '],
  [['--store', 'here', '--no-store'], '--store and --no-store exclude each other'],
  [['extra'], "Unexpected argument 'extra'"],
])('%j is a usage error', async (args, problem) => {
  const { child, printed } = start(args);
  expect(await exitCode(child)).toBe(2);
  expect(printed.err).toContain(problem);
  expect(printed.err).toMatch(/\nSee npm start -- --help\n$/);
  expect(printed.err).not.toContain('Usage');
});
