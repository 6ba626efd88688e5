// A container of Lambda: loads a bundle at full speed, waits until it is held back, and then answers one event after
// the other. Plain JavaScript, because stripping types would add 50 ms to the start.

// As the runtime of Lambda has before it loads a function.
process.getBuiltinModule('node:http');

const before = process.hrtime();
const { handler } = await import(process.argv[2] ?? '');
process.send({ initMs: millisecondsSince(before) });

process.on('message', async (event) => {
  const start = process.hrtime();
  const cpu = process.cpuUsage();
  const answer = await handler(event, { awsRequestId: 'bench', getRemainingTimeInMillis: () => 15_000 });
  const ms = millisecondsSince(start);
  const { user, system } = process.cpuUsage(cpu);
  process.send({ ms, cpuMs: (user + system) / 1e3, answer });
});

function millisecondsSince(start) {
  const [seconds, nanoseconds] = process.hrtime(start);
  return seconds * 1e3 + nanoseconds / 1e6;
}
