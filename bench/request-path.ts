/**
 * Prints the files and the functions of this project that a ticker passes: from a container's cache, and at a miss.
 * Counted by V8 (`Profiler.startPreciseCoverage`) in development, without table, registry and snapshot; a function
 * counts once more each time it goes on after an `await`.
 */
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startSimulated } from '../local/simulated/index.ts';

const root = `${pathToFileURL(join(import.meta.dirname, '..')).href}/`;
const context = { getRemainingTimeInMillis: () => 15_000 };

/** Its calls are not counted: they are of `local/`. */
const simulated = await startSimulated();
Object.assign(process.env, simulated.environment);
process.env.METRICS = 'off';
const { handler } = await import('../functions/marketdata/ticker/handler.ts');

async function ask(id: string): Promise<void> {
  const path = `/api/marketdata/ticker/${id}`;
  const http = { method: 'GET', path, sourceIp: '192.0.2.1' };
  const event = {
    rawPath: path,
    rawQueryString: '',
    headers: {},
    requestContext: { http },
    pathParameters: { id },
  };
  // The parts of event and context that the pipeline reads.
  const { statusCode } = await handler(event as never, context as never);
  if (statusCode !== 200) throw new Error(`${path} is answered ${statusCode}`);
}

async function print(title: string, id: string): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await ask(id);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const files = result
    .filter(({ url }) => url.startsWith(root) && !/\/(node_modules|bench|local)\//.test(url))
    .map(({ url, functions }) => ({
      file: url.slice(root.length),
      calls: functions
        .filter(({ ranges }) => (ranges[0]?.startOffset ?? 0) > 0)
        .map(({ functionName, ranges }) => ({
          name: functionName || 'anonymous',
          count: ranges[0]?.count ?? 0,
        }))
        .filter(({ count }) => count > 0),
    }))
    .filter(({ calls }) => calls.length > 0);
  const total = files.flatMap(({ calls }) => calls).reduce((sum, { count }) => sum + count, 0);
  console.log(`${title}: ${files.length} files, ${total} calls`);
  for (const { file, calls } of files) {
    console.log(
      `  ${file}: ${calls.map(({ name, count }) => (count > 1 ? `${name} ×${count}` : name)).join(', ')}`,
    );
  }
}

await ask('sol-solana');
await ask('btc-bitcoin');
await print('From the cache', 'btc-bitcoin');
await print('A miss', 'eth-ethereum');
await simulated.close();
