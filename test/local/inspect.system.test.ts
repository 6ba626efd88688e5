import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startLocalService } from '../../local/service.ts';
import { bundleFunction } from '../../scripts/build.ts';
import { get, obedient, serveFixture, writeAssembly } from './fixture.ts';

const handler = join(import.meta.dirname, '../../functions/gateway/default/handler.ts');

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
}

/** A minimal debugger: it sends commands and stores what it receives. */
async function attach(port: number) {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  onTestFinished(() => socket.close());
  const received: Message[] = [];
  socket.addEventListener('message', ({ data }) => received.push(JSON.parse(data)));
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  let id = 0;
  return {
    async send(method: string, params: object = {}): Promise<void> {
      const own = ++id;
      socket.send(JSON.stringify({ id: own, method, params }));
      await expect.poll(() => received.some((message) => message.id === own)).toBe(true);
    },
    /** The parameters of an event, in the shape that the protocol gives it. */
    events: <T>(name: string) =>
      received.filter(({ method }) => method === name).map(({ params }) => params as T),
  };
}

interface Script {
  readonly url: string;
  readonly sourceMapURL: string;
}

interface Paused {
  readonly callFrames: readonly { readonly location: { readonly lineNumber: number } }[];
}

/** The place in a bundle of the line of a source that begins with a text, counted from 0 as the protocol does. */
function generatedPosition(script: Script, source: string, text: string) {
  const bundle = fileURLToPath(script.url);
  const payload = JSON.parse(readFileSync(join(bundle, '..', script.sourceMapURL), 'utf8'));
  const map = new SourceMap(payload);
  const isWanted = (line: string) => line.trim().startsWith(text);
  const wanted = readFileSync(source, 'utf8').split('\n').findIndex(isWanted);
  const lines = readFileSync(bundle, 'utf8').split('\n');
  const lineNumber = lines.findIndex((line, index) => {
    const entry = map.findEntry(index, line.search(/\S/));
    return (
      'originalSource' in entry &&
      new URL(entry.originalSource, payload.sourceRoot).href === pathToFileURL(source).href &&
      entry.originalLine === wanted
    );
  });
  return { lineNumber, columnNumber: lines[lineNumber]?.search(/\S/) };
}

test('a debugger stops in a handler’s TypeScript beyond its time limit, and goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'marketdata-inspect-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await bundleFunction('gateway/default', 'gateway/default', folder, true);
  const assembly = await writeAssembly(obedient({ timeout: 1 }));
  await cp(join(folder, 'gateway-default'), join(assembly, 'asset.Obedient'), { recursive: true });
  const service = await startLocalService({
    assembly,
    inspect: 'obedient',
    routes: [],
    env: { COINPAPRIKA_BASE_URL: 'http://127.0.0.1:9/v1' },
    quiet: true,
  });
  onTestFinished(() => service.close());
  const [inspected] = service.inspected;
  expect(inspected).toMatchObject({ name: 'Obedient', port: expect.any(Number) });
  const session = await attach(inspected?.port ?? 0);
  await session.send('Runtime.enable');
  await session.send('Debugger.enable');
  const scripts = session.events<Script>('Debugger.scriptParsed');
  const script = scripts.find(({ url, sourceMapURL }) => url.endsWith('/index.mjs') && sourceMapURL !== '');
  const at = script && generatedPosition(script, handler, 'throw refusalFor');
  await session.send('Debugger.setBreakpointByUrl', { url: script?.url, ...at });

  const answer = get(`${service.url}/nothing-here`);
  await expect.poll(() => session.events('Debugger.paused')).toHaveLength(1);
  const [paused] = session.events<Paused>('Debugger.paused');
  expect(paused?.callFrames[0]?.location).toMatchObject({ lineNumber: at?.lineNumber });
  await sleep(1500); // the function's limit is one second
  await session.send('Debugger.resume');

  expect(await answer).toMatchObject({ status: 404, body: { success: false } });
}, 60_000);

test('an unknown function’s name is refused with the existing ones', async () => {
  await expect(serveFixture(obedient(), { inspect: 'no/such' })).rejects.toThrow(
    '--inspect: there is no function no/such; there are Obedient',
  );
});
