// One measurement of one variant, in a process of its own, which answers by messages as a Lambda runtime does over
// its socket. Plain JavaScript, because stripping types would add 50 ms to the start of every variant.

// As on Lambda, whose runtime has loaded it before it loads a function, and with `require` at that
// (aws-lambda-nodejs-runtime-interface-client, src/client/rapid-client.ts).
process.getBuiltinModule('node:http');

const { bundle, event, warmUpCalls, calls } = JSON.parse(process.argv[2] ?? '{}');

// Not performance.now, whose first use loads a module that the floor then pays for too.
const before = process.hrtime();
const { handler } = await import(bundle);
const initMs = microsecondsSince(before) / 1e3;

const answer = await handler(JSON.parse(event), newContext());
process.send(answer);
const { user, system } = process.cpuUsage();
const cpuMs = (user + system) / 1e3;
const rssBytes = process.memoryUsage.rss();

await time(warmUpCalls);
const times = (await time(calls)).sort();
const p50Us = times[Math.floor(calls * 0.5)];
const p99Us = times[Math.floor(calls * 0.99)];
process.send({ initMs, cpuMs, rssBytes, p50Us, p99Us }, () => process.exit(0));

/** Microseconds of each call. Every call gets its own event, as on Lambda, and no client exceeds its 100 a minute. */
async function time(count) {
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
