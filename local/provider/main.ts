import { parseArgs } from 'node:util';
import { parseFault, type SimulatedProviderOptions, startSimulatedProvider } from './index.ts';

const usage = `Usage: node local/provider/main.ts [options]

A simulated CoinPaprika on loopback: its protocol, with prices from a seeded random walk.

  --port N                 port on 127.0.0.1 (default: a free one)
  --seed N                 seed of every price (default: 1)
  --plan free|starter|paid plan of requests without a key (default: free)
  --refusal-status 402|400 status of a plan's refusal (default: 402)
  --requests-per-second N  more are answered 429 (default: 10)
  --fault TEXT             fail from the start, such as status=503x1@/tickers or lie=scaled
  --help

While it runs: curl -d 'latency=2s' URL/__fault (an empty body clears), curl URL/__calls
`;

/** Reads the command line. Throws an Error that says what is wrong with it. */
function readOptions(): SimulatedProviderOptions | 'help' {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      plan: { type: 'string', default: 'free' },
      'refusal-status': { type: 'string', default: '402' },
      'requests-per-second': { type: 'string', default: '10' },
      fault: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    port: integer('port', values.port, 65_535),
    seed: integer('seed', values.seed, Number.MAX_SAFE_INTEGER),
    plan: choice('plan', values.plan, ['free', 'starter', 'paid'] as const),
    refusalStatus: choice('refusal-status', values['refusal-status'], ['402', '400']) === '402' ? 402 : 400,
    requestsPerSecond: integer('requests-per-second', values['requests-per-second'], 1_000_000),
    fault: values.fault === '' ? null : parseFault(values.fault),
  };
}

function integer(name: string, text: string, maximum: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= maximum))
    throw new Error(`--${name} must be an integer from 0 to ${maximum}, not "${text}"`);
  return value;
}

function choice<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text);
  if (!found) throw new Error(`--${name} must be ${allowed.join(' or ')}, not "${text}"`);
  return found;
}

function fail(error: unknown, exitCode: 1 | 2): never {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  if (exitCode === 2) process.stderr.write('See --help\n');
  process.exit(exitCode);
}

async function serve(options: SimulatedProviderOptions): Promise<void> {
  const provider = await startSimulatedProvider(options);
  console.log(`Simulated provider at ${provider.url} (seed ${options.seed}, ${options.plan} plan)`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void provider.close().then(() => process.exit(0)));
  }
}

let options: SimulatedProviderOptions | 'help';
try {
  options = readOptions();
} catch (error) {
  fail(error, 2);
}
if (options === 'help') process.stdout.write(usage);
else await serve(options).catch((error: unknown) => fail(error, 1));
