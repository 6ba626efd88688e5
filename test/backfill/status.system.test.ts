import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { buildRegistry } from '../../registry-layer/build.ts';
import { type Asked, backfillNote } from '../../shared/marketdata/store/backfill-note.ts';
import { encodeHours } from '../../shared/marketdata/store/hours-file.ts';
import { dayText, objectNames } from '../../shared/marketdata/store/names.ts';
import { DAY_MS, HOUR_MS } from '../../shared/marketdata/store/reader.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import type { RegistryEntry } from '../../shared/registry/types.ts';
import { coinsOf, NOON, startWorld, TODAY, type World } from './world.ts';

const script = join(import.meta.dirname, '../../scripts/history.ts');
const clock = join(import.meta.dirname, '../client/fixed-clock.mjs');

/** The command as a process of its own. */
async function run(env: Readonly<Record<string, string>>, ...args: string[]) {
  const child = spawn(process.execPath, ['--import', clock, script, ...args], {
    env: {
      NODE_OPTIONS: '--no-warnings',
      AWS_MAX_ATTEMPTS: '1',
      FIXED_TIME: new Date(NOON).toISOString(),
      ...env,
    },
  });
  const ended = once(child, 'close');
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}

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
    s3.objects.set('/bucket/registry/manifest.json', Buffer.from(JSON.stringify(manifest)));
    s3.objects.set(`/bucket/registry/${manifest.index}`, Buffer.from(bytes));
    sampleCoins('coin-1', 'coin-2');
    const known: Asked = { through: TODAY, at: Date.now(), failed: false };
    const coins = new Map<string, Asked>([
      ['coin-1', known],
      ['coin-2', { ...known, through: 'never', failed: true }],
      ['coin-3', { ...known, through: 'nothing' }],
    ]);
    put(objectNames.backfill, JSON.stringify(backfillNote(coins)));
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
    const env = { UPSTREAM_MONTHLY_BUDGET: '62', UPSTREAM_BACKFILL_DAILY: '1' };

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
        'wishes waiting         not told: no table',
        'requests a day         1 kept for this, 1 if callers need little',
        expect.stringMatching(/^objects backfill {7}1, (\d+ bytes|bytes not told by this server)$/),
        expect.stringMatching(/^objects hours {10}1, /),
        expect.stringMatching(/^objects rolled-up {6}1, /),
        expect.stringMatching(/^objects samples {8}1, /),
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
        wishesWaiting: null,
        requestsADay: { kept: 300, most: 576 },
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

  it('finds the bucket and the budget of a stage by its function', async () => {
    fill(world);
    const account = await startAccount({
      HISTORY_BUCKET: 'bucket',
      UPSTREAM_SCHEDULED_DAILY: '145',
      UPSTREAM_BACKFILL_DAILY: '100',
    });
    const { stdout, stderr, code } = await run(
      {
        AWS_ENDPOINT_URL: account,
        AWS_ENDPOINT_URL_S3: world.s3.url,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'nobody',
        AWS_SECRET_ACCESS_KEY: 'nothing',
      },
      ...['status', '--stage', 'dev', '--json'],
    );
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({
      bucket: 'bucket',
      activeCoins: { complete: 2, all: 5 },
      requestsADay: { kept: 100, most: 420 },
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
    [['status', '--stage', 'dev', '--bucket', 'b'], '--stage finds its bucket and its table by itself'],
    [['status', '--endpoint', 'nowhere'], '--endpoint takes a URL'],
    [['status', '--such'], "Unknown option '--such'"],
  ])('used as %j exits with 2 and says how it is', async (args, problem) => {
    const { stdout, stderr, code } = await run({}, ...args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain(problem);
    expect(stderr).toContain('Usage: npm run history -- status [options]');
  });

  it('explains itself with examples', async () => {
    const { stdout, code } = await run({}, '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('npm run history -- status --stage prod');
  });
});

/** Of an AWS account just what is asked about the one function, as the two services' references say. */
async function startAccount(environment: Readonly<Record<string, string>>): Promise<string> {
  const resource = (type: string, id: string, name: string) =>
    `<member><ResourceType>${type}</ResourceType><LogicalResourceId>${id}</LogicalResourceId><PhysicalResourceId>${name}</PhysicalResourceId></member>`;
  const stack = `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${resource(
    'AWS::IAM::Role',
    'MarketdataBackfillFunctionRole0',
    'role',
  )}${resource('AWS::Lambda::Function', 'MarketdataBackfillFunction0', 'fills')}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`;
  const server = createServer((request, response) => {
    const isLambda = request.url?.startsWith('/2015-03-31/functions/fills/configuration');
    response.writeHead(200, { 'content-type': isLambda ? 'application/json' : 'text/xml' });
    response.end(isLambda ? JSON.stringify({ Environment: { Variables: environment } }) : stack);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // TCP, so never a string
}
