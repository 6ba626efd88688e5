import { spawnSync } from 'node:child_process';
import { wrongUsage } from '../shared/platform/mistyped.ts';

const names = ['cold', 'service', 'fleet', 'page', 'request-path'];

const usage = `Usage: npm run bench <name> -- [options]

  cold      cold starts and warm calls: the ticker beside a hand-written handler and Hono, and all market-data functions
            as deployed, with S3 and a table, on the share of a processor that Lambda gives (root, Linux with cgroups)
            (--rounds N, --memory MB in place of what each is deployed with, --json: into docs/measured.json)
  service   requests a second of the local service, for tickers in its cache, beside a server on Fastify (--seconds N)
  fleet     a service through some days of virtual time, with the deployed bundles: requests to the provider, fresh
            answers, and what its jobs take in a month (--requests 1000,10000: of each day, the first fills the store;
            --coins N in the registry, --traded N of them at exchanges; --hours N of a day; --faults: all that went wrong;
            --json: as above); a day takes three to five minutes
  page      the page's first screen in a browser at a quarter of the processor, on a phone and a desktop: when its largest
            part is painted, what moves, bytes (--rounds N)
  request-path  files and functions that a ticker passes, from the cache and at a miss
  check     nothing is measured: types of what is below bench/, and its tests

Prints Markdown on stdout. The figures of docs/performance.md come from here. The cost page is made of docs/measured.json by
npm run generate -- cost.
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
  // Each bench runs when it is imported, and reads its own options behind the name.
  await import(`./${name}.ts`);
} else {
  console.error(wrongUsage(name ? `No such bench: ${name}` : 'The name is missing', usage));
  process.exitCode = 2;
}
