// One first request of a function in a process of its own. Plain JavaScript, because stripping types takes 50 ms.

// As on Lambda, whose runtime has loaded it before it loads a function.
process.getBuiltinModule('node:http');

const { bundle, event } = JSON.parse(process.argv[2] ?? '{}');
const before = process.hrtime();
const { handler } = await import(bundle);
const initMs = millisecondsSince(before);
const begun = process.hrtime();
const { statusCode, body } = await handler(event, { getRemainingTimeInMillis: () => 15_000 });
const firstMs = millisecondsSince(begun);
if (statusCode !== 200) throw new Error(`${statusCode} ${body}`);
process.send({ initMs, firstMs, rssMb: process.memoryUsage.rss() / 1e6 }, () => process.exit(0));

function millisecondsSince(start) {
  const [seconds, nanoseconds] = process.hrtime(start);
  return seconds * 1e3 + nanoseconds / 1e6;
}
