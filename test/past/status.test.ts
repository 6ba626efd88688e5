import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodeHours } from '../../shared/marketdata/store/candle-files-writer.ts';
import { dayText, objectNames } from '../../shared/marketdata/store/names.ts';
import { type FetchNote, mergedNotes, pastNote } from '../../shared/marketdata/store/past-note.ts';
import { encodeSamples } from '../../shared/marketdata/store/samples.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { daysBefore, putDays } from '../history/stored.ts';
import { runHere } from '../run-here.ts';
import { NOON, startWorld, TODAY, type World } from './world.ts';

/** The command as in a process of its own, with nothing of an earlier run in memory. */
async function run(env: Readonly<Record<string, string>>, ...args: string[]) {
  for (const [name, value] of Object.entries({ ...noAccess, ...env })) vi.stubEnv(name, value);
  vi.resetModules();
  const { main } = await import('../../scripts/history.ts');
  return runHere(main, args);
}

/** What a place sets, so that it is taken back after the test; and no access but what a test gives. */
const noAccess = {
  AWS_ENDPOINT_URL_S3: '',
  AWS_REGION: '',
  AWS_ACCESS_KEY_ID: '',
  AWS_SECRET_ACCESS_KEY: '',
  AWS_SESSION_TOKEN: undefined,
};

describe('history.ts status', () => {
  let world: World;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    world = await startWorld();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await world.close();
  });

  /** Samples of two coins; one is complete. */
  function fill({ put, sampleCoins }: World): void {
    sampleCoins('coin-1', 'coin-2');
    const known: FetchNote = { through: TODAY, at: Date.now(), failed: false };
    const coins = new Map<string, FetchNote>([
      ['coin-1', known],
      ['coin-2', { ...known, through: 'never', failed: true }],
      ['coin-3', { ...known, through: 'nothing' }],
    ]);
    put(objectNames.past, JSON.stringify(pastNote({ ...mergedNotes(), provider: coins })));
    put(objectNames.rolledUp, JSON.stringify({ through: dayText(TODAY - DAY_MS) }));
    const candle: StoredCandle = {
      ...{ opensAt: TODAY, open: 1, high: 1, low: 1, close: 1, volume: 1, market_cap: 1, volume_24h: 1 },
      ...{ quality: 'sampled', samples: 6, lastAt: TODAY, isSettled: true, source: 'simulated' },
    };
    const hours = encodeHours({
      ...{ day: TODAY, intervalSeconds: 600, source: 'simulated' },
      coins: new Map([['coin-1', [candle]]]),
    });
    put(objectNames.hours(TODAY), hours);
  }

  const here = () => ['status', '--endpoint', world.s3.url, '--bucket', 'bucket'];

  it('prints the state of the store and the number of complete coins', async () => {
    fill(world);
    const { stdout, stderr, code } = await run({}, ...here());
    expect({ status: JSON.parse(stdout), stderr, code }).toEqual({
      status: {
        bucket: 'bucket',
        hoursUntil: new Date(TODAY + HOUR_MS).toISOString(),
        rolledUpThrough: dayText(TODAY - DAY_MS),
        coins: { complete: 1, all: 2 },
      },
      stderr: '',
      code: 0,
    });
  });

  it('counts coins of the list and of token prices', async () => {
    fill(world);
    const taken = { takenAt: Date.now(), intervalSeconds: 600, source: 'defillama' };
    const token = { id: 'coin-3', price: 1, volume: null, market_cap: null };
    world.put(objectNames.samples(Date.now(), 600_000, 'defillama'), encodeSamples([token], taken));
    const { stdout } = await run({}, ...here());
    expect(JSON.parse(stdout).coins).toEqual({ complete: 2, all: 3 });
  });

  it('reports an empty store', async () => {
    const { stdout, code } = await run({}, ...here());
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ hoursUntil: null, rolledUpThrough: null, coins: null });
  });

  it('shows a coin by its id or its symbol, with its candles, and refuses one without stored data', async () => {
    fill(world);
    putDays(world.s3, 'coin-1', daysBefore(TODAY, 3));
    const show = (coin: string) => run({}, 'show', coin, '--endpoint', world.s3.url, '--bucket', 'bucket');

    const byId = JSON.parse((await show('coin-1')).stdout);
    expect(byId).toMatchObject({ tickers: [{ id: 'coin-1' }], markets: null });
    expect(byId.candles).toEqual({ 'coin-1': [expect.objectContaining({ count: 3 })] });
    const bySymbol = JSON.parse((await show(byId.tickers[0].symbol)).stdout);
    expect(bySymbol.candles['coin-1']).toEqual(byId.candles['coin-1']);
    expect(await show('nothing-there')).toEqual({
      stdout: '',
      stderr:
        'show failed: Nothing is stored of nothing-there, and no market is mapped yet: npx coinsearch finds ids\n',
      code: 1,
    });
  });

  /** The environment of a shell whose user is logged in. */
  const loggedIn = () => ({
    AWS_ENDPOINT_URL_S3: world.s3.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'nothing',
  });

  it('finds the bucket of a stage by the output of its stack', async () => {
    fill(world);
    mockStage().resolves(stackWith({ DataBucketName: 'bucket' }));
    const { stdout, stderr, code } = await run(loggedIn(), 'status', '--stage', 'dev');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ bucket: 'bucket', coins: { complete: 1, all: 2 } });
  });

  it('names the next step for a stage of an older version', async () => {
    mockStage().resolves(stackWith({ SharedTableName: 'table' }));
    expect(await run(loggedIn(), 'status', '--stage', 'dev')).toEqual({
      stdout: '',
      stderr: 'status failed: marketdata-dev has no output DataBucketName: deploy this version first\n',
      code: 1,
    });
  });

  it('reports a server that cannot be reached', async () => {
    const { stdout, stderr, code } = await run({}, 'status', '--endpoint', 'http://127.0.0.1:9');
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toBe('status failed: ECONNREFUSED: is npm start running there?\n');
  });

  it('names the next step if no server has its data there', async () => {
    const { stderr, code } = await run({}, 'status', '--store', '/nowhere');
    expect({ stderr, code }).toEqual({
      stderr:
        'status failed: No server has its data in /nowhere: run npm start, or give --stage or --store\n',
      code: 1,
    });
  });

  it.each([
    [[], 'The command is missing'],
    [['list'], 'Unknown command: list'],
    [['status', 'btc'], 'The command is: status'],
    [['status', '--such'], "Unknown option '--such'"],
  ])('used as %j exits with 2 and explains the usage', async (args, problem) => {
    const { stdout, stderr, code } = await run({}, ...args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain(problem);
    expect(stderr).toMatch(/^.+\nSee npm run history -- --help\n$/);
  });

  it('explains itself with examples, on one screen', async () => {
    const { stdout, code } = await run({}, '--help');
    expect(code).toBe(0);
    expect(stdout).toContain(`npm run history -- restore ${objectNames.allSeries('24h')}`);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
  });
});

/** An AWS account's description of stacks, which no local server gives. */
function mockStage() {
  const cloudFormation = mockClient(CloudFormationClient);
  onTestFinished(() => cloudFormation.restore());
  return cloudFormation.on(DescribeStacksCommand, { StackName: 'marketdata-dev' });
}

function stackWith(outputs: Readonly<Record<string, string>>) {
  const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
  const stack = {
    StackName: 'marketdata-dev',
    CreationTime: undefined,
    StackStatus: 'CREATE_COMPLETE' as const,
  };
  return { Stacks: [{ ...stack, Outputs }] };
}
