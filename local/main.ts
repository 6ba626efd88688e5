/** `npm start -- --lambda`: the emulator from the command line. */

import { builtPage } from '../http-api/page.ts';
import { messageOf } from '../shared/platform/message-of.ts';
import { wrongUsage } from '../shared/platform/mistyped.ts';
import { onEnd } from '../shared/platform/signals.ts';
import { readyText } from './banner.ts';
import { type Options, readOptions, UsageError, usage } from './options.ts';
import { prepareFor } from './prepare.ts';
import { providerKind } from './provider-choice.ts';
import { startLocalService } from './service.ts';
import { refuseUnusableSettings } from './settings.ts';
import { watchAndServe } from './watch.ts';

const args = process.argv.slice(2);

/** The service that a signal closes. */
let running: { close(): Promise<void> } | undefined;

async function serve({ mode, faults, ...options }: Options): Promise<void> {
  const simulated = await simulatedOptions(faults);
  if (options.build) console.error('Building and synthesizing …');
  // With --watch, the parent process may be killed.
  process.on('disconnect', end);
  const service = await startLocalService({
    ...options,
    // Locally all requests come from one client, which may use every share.
    env: { UPSTREAM_CLIENT_PERCENT: '100', ...process.env },
    page: options.assembly ? undefined : builtPage,
    provider: { mode, simulated },
  });
  running = service;
  console.log(readyText(service, { ...options, faults }, process.env));
}

/** Until the service is ready, everything it starts ends with this process. */
async function end(): Promise<void> {
  await running?.close();
  process.exit(0);
}

async function simulatedOptions(texts: readonly string[]) {
  const { simulatedEntries } = await import('../registry-layer/simulated/list.ts');
  const { readFaults } = await import('./simulated/faults.ts');
  try {
    return { coins: simulatedEntries(), faults: readFaults(texts) };
  } catch (error) {
    throw new UsageError(`--fault: ${messageOf(error)}`);
  }
}

function explain(error: unknown, port: number | undefined): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return `Port ${port} is in use. Choose another with --port N or PORT=N; --port 0 takes a free one.`;
  }
  return messageOf(error);
}

let port: number | undefined;
onEnd(end);
try {
  const options = readOptions(args, process.env);
  port = options.port;
  if (!options.help) refuseUnusableSettings(process.env);
  if (options.help) {
    console.log(usage);
  } else if (options.watch) {
    const kind = await providerKind(options, process.env);
    const build = () => prepareFor(kind, process.env, console.error, options);
    if (options.build) await build();
    const own = args.filter((arg) => arg !== '--watch' && arg !== '--no-build');
    const chosen = options.mode === 'auto' && kind !== 'given' ? [`--${kind}`] : [];
    running = watchAndServe(import.meta.filename, [...own, ...chosen, '--no-build'], build, console.error);
  } else {
    await serve(options);
  }
} catch (error) {
  console.error(error instanceof UsageError ? wrongUsage(error, usage) : explain(error, port));
  process.exit(error instanceof UsageError ? 2 : 1);
}
