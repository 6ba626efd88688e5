// Entry point of a function's process, like Lambda's Node runtime for a handler. Plain JavaScript, because stripping
// types would add 50 ms to the start of every process (measured).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { taskRoot, handler: handlerName, context: fixedContext } = JSON.parse(process.argv[2] ?? '{}');
// Our arguments are hidden from the function.
process.argv.splice(2);
// If the local service is gone, its function ends too.
process.on('disconnect', () => process.exit(0));

const handler = await load();
// Only the runtime may use the channel to the gateway.
const send = process.send.bind(process);
process.on('message', invoke);
send({ type: 'ready' });

async function load() {
  const dot = handlerName.lastIndexOf('.');
  const file = ['.js', '.mjs', '.cjs']
    .map((extension) => join(taskRoot, `${handlerName.slice(0, dot)}${extension}`))
    .find((path) => existsSync(path));
  if (!file) throw new Error(`Runtime.ImportModuleError: no module for the handler ${handlerName}`);
  const loaded = await import(pathToFileURL(file).href);
  const name = handlerName.slice(dot + 1);
  const found = loaded[name] ?? loaded.default?.[name];
  if (typeof found !== 'function')
    throw new Error(`Runtime.HandlerNotFound: ${handlerName} is not a function`);
  return found;
}

async function invoke({ event, awsRequestId, deadline }) {
  const context = {
    ...fixedContext,
    awsRequestId,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
  try {
    const value = await handler(JSON.parse(event), context);
    send({ type: 'answer', payload: JSON.stringify(value) ?? 'null' });
  } catch (error) {
    console.error(error);
    send({ type: 'error' });
  }
}
