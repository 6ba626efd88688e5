/**
 * The program of the server: gives the process what it can only get from outside, and goes on with `main.ts`. Threads of glibc keep
 * what they have freed, which after some hundred jobs would be twice what the server needs.
 */
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(`The server needs Node 24 or newer, and this is ${process.version}.`);
  process.exit(1);
}
const { env, execPath, execArgv, argv, platform, execve } = process;
// A parent's channel would be lost.
if (platform === 'linux' && execve && !env.MALLOC_ARENA_MAX && !process.connected) {
  execve.call(process, execPath, [execPath, ...execArgv, ...argv.slice(1)], {
    ...env,
    ...{ MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: String(128 * 1024) },
  });
}
await import('./main.ts');
