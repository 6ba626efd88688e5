import { spawnSync } from 'node:child_process';
import { wrongUsage } from '../shared/platform/wrong-usage.ts';

const names = [
  'functions',
  'cold',
  'service',
  'registry',
  'fleet',
  'request-path',
  'secrets',
  'history',
  'sources',
  'batch',
];

const usage = `Usage: npm run bench <name> -- [options]

  functions   one endpoint on several frameworks: bytes, cold start, warm calls, memory (--rounds N,
              --json FILE: this project's own figures too)
  cold        cold starts as deployed, on the share of a processor that Lambda gives, with S3 and a table
              (--rounds N, --memory 128,256 in place of what each is deployed with, --protocols: the routes that ask a node;
              root, Linux with cgroups)
  service     requests a second of the local service, for tickers in its cache (--seconds N)
  fleet       upstream requests and answers of up to 500 containers in virtual time (--up-to N, --svg FOLDER,
              --history-days 8,43: weeks with our own history instead, --sources-days 8: with other sources too)
  registry    the coin registry: size, load, look-ups
  secrets     the first request that needs a secret, fetched in several ways (--rounds N)
  history     warm charts of our own history, and a year of samples through the real code, held against a plain
              fold of the same (--rounds N, --coins N, of which --listed N are in the provider's list, --days N;
              0 rounds or days: without that part)
  batch       100 coins in one request beside 100 requests (--rounds N)
  sources     minutes from a first deployment until the largest coins have exact charts of a year, in virtual time
  request-path  files and functions that a ticker passes, from the cache and at a miss
  check       nothing is measured: types of what is below bench/, and its tests

Prints Markdown on stdout. The figures of docs/performance.md come from here.
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
