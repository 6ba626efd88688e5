import { spawnSync } from 'node:child_process';
import { wrongUsage } from '../shared/platform/mistyped.ts';

const names = ['cold', 'service', 'server', 'fleet', 'page', 'request-path'];

const usage = `Usage: npm run bench <name> -- [options]

  cold      cold starts and warm calls: the ticker beside a hand-written handler and Hono, and all market-data functions
            as deployed, with S3 and a table, on Lambda's share of a processor (root, Linux with cgroups)
            --rounds N, --memory MB instead of the deployed size, --json writes docs/measured.json
  service   requests per second for cached tickers: the server, the emulator, and a server on Fastify (--seconds N)
  server    how soon the server answers on an empty and on a filled folder, and its memory (Linux; --rounds N)
  fleet     some days in virtual time with the deployed bundles: provider requests, fresh responses, and the jobs' monthly
            use; a day takes three to five minutes
            --requests 1000,10000 per day (the first day fills the store), --coins N in the registry, --traded N at
            exchanges, --hours N per day, --faults lists all failures, --json as above
  page      the page's first screen in a browser at a quarter of the processor, on a phone and a desktop: largest paint,
            layout shifts, bytes (--rounds N)
  request-path  files and functions that a ticker passes through, from the cache and at a miss
  check     no measurement: types and tests of bench/

Prints Markdown to stdout. docs/performance.md has these figures; npm run generate -- cost reads docs/measured.json.
`;

const [name = ''] = process.argv.slice(2);
if (name === '--help') {
  process.stdout.write(usage);
} else if (name === 'check') {
  const commands = ['tsc -p bench', 'vitest run --root bench'];
  const failed = commands.some(
    (command) => spawnSync(command, { shell: true, stdio: 'inherit' }).status !== 0,
  );
  process.exitCode = failed ? 1 : 0;
} else if (names.includes(name)) {
  // Each bench runs on import, and reads its own options after the name.
  await import(`./${name}.ts`);
} else {
  console.error(wrongUsage(name ? `No such bench: ${name}` : 'The name is missing', usage));
  process.exitCode = 2;
}
