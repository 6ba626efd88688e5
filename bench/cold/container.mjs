// A container of Lambda: loads a bundle at full speed, and then answers one event after the other, or the same event
// many times. Plain JavaScript, because stripping types would add 50 ms to the start.

// As on Lambda, whose runtime is loaded before the function, with `require` at that
// (aws-lambda-nodejs-runtime-interface-client, src/client/rapid-client.ts).
process.getBuiltinModule('node:http');

// Not performance.now, whose first use loads a module that the floor would pay for too.
const before = process.hrtime();
const { handler } = await import(process.argv[2] ?? '');
process.send({ initMs: microsecondsSince(before) / 1e3 });

process.on('message', async ({ event, warmUpCalls, calls }) => {
  if (calls) {
    await time(event, warmUpCalls);
    const times = (await time(event, calls)).sort();
    process.send({ p50Us: times[Math.floor(calls * 0.5)], p99Us: times[Math.floor(calls * 0.99)] });
    return;
  }
  const start = process.hrtime();
  const cpu = process.cpuUsage();
  const answer = await handler(JSON.parse(event), newContext());
  const ms = microsecondsSince(start) / 1e3;
  const { user, system } = process.cpuUsage(cpu);
  const all = process.cpuUsage();
  const processCpuMs = (all.user + all.system) / 1e3;
  process.send({
    ms,
    cpuMs: (user + system) / 1e3,
    processCpuMs,
    rssBytes: process.memoryUsage.rss(),
    answer,
  });
});

/** Microseconds of each call. Every call gets its own event, as on Lambda, and no client exceeds its 100 a minute. */
async function time(event, count) {
  const microseconds = new Float64Array(count);
  for (let call = 0; call < count; call += 1) {
    const own = JSON.parse(event);
    own.requestContext.http.sourceIp = `10.0.${(call >> 8) & 255}.${call & 255}`;
    const context = newContext();
    const start = process.hrtime();
    const { statusCode } = await handler(own, context);
    microseconds[call] = microsecondsSince(start);
    if (statusCode !== 200) throw new Error(`Call ${call} was answered ${statusCode}`);
  }
  return microseconds;
}

function microsecondsSince(start) {
  const [seconds, nanoseconds] = process.hrtime(start);
  return seconds * 1e6 + nanoseconds / 1e3;
}

function newContext() {
  const deadline = Date.now() + 15_000;
  return { awsRequestId: 'bench', getRemainingTimeInMillis: () => deadline - Date.now() };
}
