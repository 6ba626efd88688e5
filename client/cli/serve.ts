import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Session } from './session.ts';
import type { Terminal } from './terminal.ts';

const noService = `This package contains the terminal programs, but no service.

To run your own service, clone the repository of marketdata-api:
  npm start           in its folder; it needs no key and no account
To use another service, set its address:
  --url <url>         for one command
  MARKETDATA_URL      for all commands; MARKETDATA_API_KEY if it requires a key
`;

/**
 * Runs the service as `npm start` does, with its options, in this process until a signal ends it. An installed package
 * has no service, so it explains where to get one.
 */
export async function serve(
  { positional: args }: { readonly positional: readonly string[] },
  _session: Session,
  { repository, env, stderr }: Terminal,
): Promise<number> {
  if (repository === undefined) {
    stderr.write(noService);
    return 1;
  }
  const { status } = spawnSync(process.execPath, [join(repository, 'scripts/ensure-installed.mjs')], {
    // The running Node comes first in PATH, as with npm.
    env: { ...env, PATH: [dirname(process.execPath), env.PATH].join(delimiter) },
    stdio: 'inherit',
  });
  if (status !== 0) return 1;
  const main = join(repository, 'scripts/start.ts');
  process.argv.splice(1, Number.POSITIVE_INFINITY, main, ...args);
  await import(pathToFileURL(main).href);
  return 0;
}

/** The hint for a command that reached no service. */
export function whereToStart(baseUrl: string, { repository }: Terminal): string {
  const question = `Is the service running at ${baseUrl}?`;
  const other = 'name another with --url or MARKETDATA_URL.';
  const { protocol, hostname, pathname } = new URL(baseUrl);
  const isOfThisMachine =
    protocol === 'http:' && pathname === '/' && ['localhost', '127.0.0.1'].includes(hostname);
  if (!isOfThisMachine) return `${question} If not, ${other}`;
  return repository === undefined
    ? `${question} npx marketdata serve explains how to get one; or ${other}`
    : `${question} Start it with npx marketdata serve or npm start, or ${other}`;
}
