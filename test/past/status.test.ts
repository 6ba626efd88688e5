import { CloudFormationClient, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { buildRegistry } from '../../registry-layer/build.ts';
import { encodeHours } from '../../shared/marketdata/store/candle-files.ts';
import { dayText, objectNames } from '../../shared/marketdata/store/names.ts';
import { type FetchNote, mergedNotes, pastNote } from '../../shared/marketdata/store/past-note.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { awsError } from '../mocked-account.ts';
import { runHere } from '../run-here.ts';
import { coinsOf, NOON, startWorld, TODAY, type World } from './world.ts';

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

  /** Five active coins, of which samples are taken of two; one of each kind is not complete. */
  function fill({ s3, put, sampleCoins }: World): void {
    const entries = coinsOf(5).map((coin) => ({ is_new: false, is_active: true, ...coin }) as RegistryEntry); // with more
    const { bytes, manifest } = buildRegistry(entries, { source: 'live' });
    s3.objects.set('/bucket/registry/manifest.v3.json', Buffer.from(JSON.stringify(manifest)));
    s3.objects.set(`/bucket/registry/${manifest.index}`, Buffer.from(bytes));
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
      ...{ opensAt: TODAY, open: 1, high: 1, low: 1, close: 1, volume: 1, market_cap: 1 },
      ...{ quality: 'sampled', samples: 6, lastAt: TODAY, source: 'simulated' },
    };
    const hours = encodeHours({
      ...{ day: TODAY, intervalSeconds: 600, source: 'simulated' },
      coins: new Map([['coin-1', [candle]]]),
    });
    put(objectNames.hours(TODAY), hours);
  }

  const here = () => ['status', '--endpoint', world.s3.url, '--bucket', 'bucket'];

  it('prints what there is, what is missing, and when that will be there', async () => {
    fill(world);
    const env = { UPSTREAM_MONTHLY_BUDGET: '62' };

    const { stdout, stderr, code } = await run(env, ...here(), '--objects');
    expect({ stderr, code, lines: stdout.trimEnd().split('\n') }).toEqual({
      stderr: '',
      code: 0,
      lines: [
        'bucket                 bucket',
        `newest hour            over at ${new Date(TODAY + HOUR_MS).toISOString()}`,
        `last day rolled up     ${dayText(TODAY - DAY_MS)}`,
        `coins of the snapshot  1 of 2 complete, the rest by ${dayText(Date.now() + DAY_MS)}`,
        `active coins           2 of 5 complete, the rest by ${dayText(Date.now() + 3 * DAY_MS)}`,
        'requests a day         1 if callers need no more than the rest',
        expect.stringMatching(/^objects day-hours\.v1 {3}1, (\d+ bytes|bytes not told by this server)$/),
        expect.stringMatching(/^objects past\.v1 {8}1, /),
        expect.stringMatching(/^objects rolled-up\.v2 {3}1, /),
        expect.stringMatching(/^objects samples\.v3 {5}1, /),
      ],
    });
  });

  it('prints the same as JSON alone', async () => {
    fill(world);
    const { stdout, code } = await run({}, ...here(), '--json');
    expect({ status: JSON.parse(stdout), code }).toEqual({
      status: {
        bucket: 'bucket',
        hoursUntil: new Date(TODAY + HOUR_MS).toISOString(),
        rolledUpThrough: dayText(TODAY - DAY_MS),
        snapshotCoins: { complete: 1, all: 2, by: dayText(Date.now() + DAY_MS) },
        activeCoins: { complete: 2, all: 5, by: dayText(Date.now() + DAY_MS) },
        requestsADay: 516,
      },
      code: 0,
    });
  });

  it('of a store without anything says so', async () => {
    const { stdout, code } = await run({}, ...here());
    expect(code).toBe(0);
    expect(stdout).toContain('newest hour            none of today or yesterday');
    expect(stdout).toContain('last day rolled up     none yet');
    expect(stdout).toContain('coins of the snapshot  no samples of today or yesterday');
  });

  /** As a shell has it whose user is logged in. */
  const loggedIn = () => ({
    AWS_ENDPOINT_URL_S3: world.s3.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'nothing',
  });

  it('finds the bucket and the budget of a stage by its function', async () => {
    fill(world);
    mockStage({ HISTORY_BUCKET: 'bucket', UPSTREAM_SCHEDULED_DAILY: '145' });
    const { stdout, stderr, code } = await run(loggedIn(), 'status', '--stage', 'dev', '--json');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({
      bucket: 'bucket',
      activeCoins: { complete: 2, all: 5 },
      requestsADay: 400,
    });
  });

  it('of a stage whose listing is throttled halfway says so, and what to check', async () => {
    const { cloudFormation } = mockStage({ HISTORY_BUCKET: 'bucket' });
    cloudFormation
      .on(ListStackResourcesCommand, { NextToken: '1' })
      .rejects(awsError('ThrottlingException', 'Rate exceeded'));
    expect(await run(loggedIn(), 'status', '--stage', 'dev')).toEqual({
      stdout: '',
      stderr: `The history cannot be read: Rate exceeded\nIs marketdata-dev deployed, and are credentials and AWS_REGION those of its account?\n`,
      code: 1,
    });
  });

  it('with credentials that have expired says so', async () => {
    const { lambda } = mockStage({ HISTORY_BUCKET: 'bucket' });
    lambda.rejects(
      awsError('ExpiredTokenException', 'The security token included in the request is expired'),
    );
    expect(await run(loggedIn(), 'status', '--stage', 'dev')).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(
        /^The history cannot be read: The security token .* is expired\nIs marketdata-dev/,
      ),
      code: 1,
    });
  });

  it('prints no count of objects whose listing ended halfway', async () => {
    fill(world);
    const s3 = mockClient(S3Client);
    onTestFinished(() => s3.restore());
    const key = 'history/coins.v1/~coin-1';
    s3.on(ListObjectsV2Command)
      .resolvesOnce({ Contents: [{ Key: key, Size: 7 }], IsTruncated: true, NextContinuationToken: key })
      .rejects(awsError('SlowDown', 'Please reduce your request rate.'));
    expect(await run({}, ...here(), '--objects')).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^The history cannot be read: Please reduce your request rate\.\n/),
      code: 1,
    });
  });

  it('of a server that is not there says what to do', async () => {
    const { stdout, stderr, code } = await run({}, 'status', '--endpoint', 'http://127.0.0.1:9');
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain('The history cannot be read: ');
    expect(stderr).toContain('Is npm start running, with its store at http://127.0.0.1:9?');
  });

  it.each([
    [[], 'The command is missing'],
    [['show'], 'Unknown command: show'],
    [['status', '--store', '/nowhere'], 'Which history? None is served here: run npm start beside it'],
    [['status', '--stage', 'dev', '--bucket', 'b'], '--stage finds its bucket by itself'],
    [['status', '--endpoint', 'nowhere'], '--endpoint takes a URL'],
    [['status', '--such'], "Unknown option '--such'"],
  ])('used as %j exits with 2 and says how it is', async (args, problem) => {
    const { stdout, stderr, code } = await run({}, ...args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain(problem);
    expect(stderr).toMatch(/^.+\nSee npm run history -- --help\n$/);
  });

  it('explains itself with examples', async () => {
    const { stdout, code } = await run({}, '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('npm run history -- status --stage prod');
  });
});

/** Of an AWS account just what is read about the one function, on two pages. */
function mockStage(environment: Readonly<Record<string, string>>) {
  const cloudFormation = mockClient(CloudFormationClient);
  const lambda = mockClient(LambdaClient);
  onTestFinished(() => {
    cloudFormation.restore();
    lambda.restore();
  });
  const resource = (type: string, id: string, name: string) => ({
    StackResourceSummaries: [
      {
        ResourceType: type,
        LogicalResourceId: id,
        PhysicalResourceId: name,
        ResourceStatus: 'CREATE_COMPLETE' as const,
        LastUpdatedTimestamp: undefined,
      },
    ],
  });
  cloudFormation
    .on(ListStackResourcesCommand)
    .resolves({ ...resource('AWS::IAM::Role', 'MarketdataPastFunctionRole0', 'role'), NextToken: '1' })
    .on(ListStackResourcesCommand, { NextToken: '1' })
    .resolves(resource('AWS::Lambda::Function', 'MarketdataPastFunction0', 'fills'));
  lambda
    .on(GetFunctionConfigurationCommand, { FunctionName: 'fills' })
    .resolves({ Environment: { Variables: environment } });
  return { cloudFormation, lambda };
}
