// One run of a job as it is deployed, in a process of its own, at a time of one's choosing. Plain JavaScript, because
// stripping types would take memory that a function on Lambda does not need.

process.getBuiltinModule('node:http');

const { bundle, now } = JSON.parse(process.argv[2] ?? '{}');
const offset = now - Date.now();
const own = Date.now;
Date.now = () => own() + offset;

const before = process.hrtime();
const { handler } = await import(bundle);
const { days } = await handler();
const [seconds, nanoseconds] = process.hrtime(before);
const { user, system } = process.cpuUsage();
process.send({
  days,
  wallMs: seconds * 1e3 + nanoseconds / 1e6,
  cpuMs: (user + system) / 1e3,
  peakBytes: process.resourceUsage().maxRSS * 1024,
});
