/** `npm start`: the local service from the command line. */
import { resolve } from 'node:path';
import { readyText } from './banner.ts';
import { type Options, readOptions, UsageError, usage } from './options.ts';
import { buildAndSynthesize } from './prepare.ts';
import { type LocalService, startLocalService } from './service.ts';
import { watchAndServe } from './watch.ts';

const args = process.argv.slice(2);

let service: LocalService | undefined;

async function serve(options: Options): Promise<void> {
  const { port, containers, freeze, build, assembly } = options;
  const simulated = await simulatedOptions(options.fault);
  if (build) console.error('Building and synthesizing …');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  // Under --watch, whose process may be killed.
  process.on('disconnect', end);
  service = await startLocalService({
    env: process.env,
    port,
    containers,
    freeze,
    build,
    ...(assembly && { assembly: resolve(assembly) }),
    provider: { mode: options.provider, simulated },
  });
  const { NODE_ENV, CLIENT_API_KEY } = process.env;
  const mode = {
    nodeEnv: NODE_ENV || 'development',
    hasClientKey: Boolean(CLIENT_API_KEY),
    containers,
    freeze,
  };
  console.log(readyText(service, mode));
}

/** Before the service is ready there is nothing that its watchdog would not end. */
async function end(): Promise<void> {
  await service?.close();
  process.exit(0);
}

async function simulatedOptions(fault: string | undefined) {
  if (fault === undefined) return {};
  const { parseFault } = await import('./provider/index.ts');
  try {
    return { fault: parseFault(fault) };
  } catch (error) {
    throw new UsageError(`--fault: ${error instanceof Error ? error.message : error}`);
  }
}

function explain(error: unknown, port: number | undefined): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return `Port ${port} is in use. Choose another with --port N or PORT=N; --port 0 takes a free one.`;
  }
  return error instanceof Error ? error.message : String(error);
}

let port: number | undefined;
try {
  const options = readOptions(args, process.env);
  port = options.port;
  if (options.help) {
    console.log(usage);
  } else if (options.watch) {
    if (options.build) await buildAndSynthesize();
    const own = args.filter((arg) => arg !== '--watch' && arg !== '--no-build');
    await watchAndServe([...own, '--no-build'], console.error);
  } else {
    await serve(options);
  }
} catch (error) {
  console.error(explain(error, port));
  if (error instanceof UsageError) console.error(`\n${usage}`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
