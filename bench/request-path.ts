/**
 * Prints the project's files and functions that a ticker passes through: from a container's cache, and at a miss.
 * Counted by V8 (`Profiler.startPreciseCoverage`) in development, without table, registry and snapshot; a function
 * counts again each time it resumes after an `await`.
 */
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { route } from '../functions/marketdata/ticker/route.ts';
import { simulatedEntries } from '../registry-layer/simulated/list.ts';
import { eventOf } from './cold/events.ts';
import { startSources } from './fleet/sources.ts';

const root = `${pathToFileURL(join(import.meta.dirname, '..')).href}/`;
const sources = await startSources(simulatedEntries(200), Date.now);
Object.assign(process.env, sources.environment, { METRICS: 'off' });
const { handler } = await import('../functions/marketdata/ticker/handler.ts');

async function request(id: string): Promise<void> {
  const context = { getRemainingTimeInMillis: () => 15_000 };
  const { statusCode } = await handler(eventOf(route, { id }), context as never); // the pipeline reads little of it
  if (statusCode !== 200) throw new Error(`${id} is answered ${statusCode}`);
}

async function print(title: string, id: string): Promise<void> {
  const event = eventOf(route, { id });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await handler(event, { getRemainingTimeInMillis: () => 15_000 } as never);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const files = result
    .filter(({ url }) => url.startsWith(root) && !/\/(node_modules|bench|local)\//.test(url))
    .map(({ url, functions }) => ({
      file: url.slice(root.length),
      calls: functions
        .filter(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0)
        .map(({ functionName, ranges }) => ({
          name: functionName || 'anonymous',
          count: ranges[0]?.count ?? 0,
        })),
    }))
    .filter(({ calls }) => calls.length > 0);
  const total = files.flatMap(({ calls }) => calls).reduce((sum, { count }) => sum + count, 0);
  console.log(`${title}: ${files.length} files, ${total} calls`);
  for (const { file, calls } of files) {
    const names = calls.map(({ name, count }) => (count > 1 ? `${name} ×${count}` : name));
    console.log(`  ${file}: ${names.join(', ')}`);
  }
}

await request('sol-solana');
await request('btc-bitcoin');
await print('From the cache', 'btc-bitcoin');
await print('A miss', 'eth-ethereum');
process.exit(0);
