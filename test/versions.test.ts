import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, it } from 'vitest';
import { type Account, type AccountFunction, startAccount } from './lambda-account.ts';

const STACK = 'marketdata-test';
const folder = mkdtempSync(join(inject('runFolder'), 'versions-'));

/** The command as a process of its own, as the pipeline runs it. */
async function run(account: Account | undefined, ...args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../scripts/versions.ts'), ...args], {
    env: {
      AWS_ENDPOINT_URL: account?.url ?? 'http://127.0.0.1:9',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'nobody',
      AWS_SECRET_ACCESS_KEY: 'nothing',
      AWS_MAX_ATTEMPTS: '1',
      NODE_OPTIONS: '--no-warnings',
    },
  });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}

function fileOf(content: unknown): string {
  const file = join(mkdtempSync(join(folder, 'record-')), 'before.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const liveOf = ({ functions }: Account) =>
  Object.fromEntries(Object.entries(functions).map(([name, { live }]) => [name, live]));

/** Versions published an hour apart from midnight on, the first at 01:00. */
const hourly = (...numbers: number[]) =>
  Object.fromEntries(
    numbers.map((number) => [number, `2026-11-22T${String(number).padStart(2, '0')}:00:00.000+0000`]),
  );

/** After a deployment at 05:30 that changed `ticker` and `search`, and not `chart`. */
const deployed = (): Record<string, AccountFunction> => ({
  ticker: { live: '6', versions: hourly(1, 2, 3, 4, 5, 6) },
  chart: { live: '2', versions: hourly(1, 2) },
  search: { live: '7', versions: hourly(4, 7) },
});

describe('versions.ts show', () => {
  it('prints the version of every function as JSON, over all pages of the stack', async () => {
    const account = await startAccount(deployed());

    const { stdout, stderr, code } = await run(account, 'show', STACK);
    expect({ shown: JSON.parse(stdout), stderr, code }).toEqual({
      shown: { chart: '2', search: '7', ticker: '6' },
      stderr: '',
      code: 0,
    });
    expect(account.changes).toEqual([]);
  });

  it('prints that nothing serves before the first deployment', async () => {
    const account = await startAccount({});
    expect(await run(account, 'show', 'marketdata-new')).toEqual({ stdout: '{}\n', stderr: '', code: 0 });
  });
});

describe('versions.ts restore', () => {
  it('moves just the functions that a deployment has changed', async () => {
    const account = await startAccount(deployed());
    const before = { ticker: '5', chart: '2', search: '4' };

    expect(await run(account, 'restore', STACK, fileOf(before))).toEqual({
      stdout:
        'unchanged chart: 2\nmoved search: 7 → 4\nmoved ticker: 6 → 5\n2 moved, 1 unchanged, 0 not moved\n',
      stderr: '',
      code: 0,
    });
    expect(liveOf(account)).toEqual(before);
    expect(account.changes).toHaveLength(2);
  });

  it('takes all requests back from a version that got a part of them', async () => {
    const account = await startAccount({
      ticker: { live: '5', weights: { 6: 0.1 }, versions: hourly(5, 6) },
    });

    const { code } = await run(account, 'restore', STACK, fileOf({ ticker: '5' }));
    expect(code).toBe(0);
    expect(account.functions.ticker).toMatchObject({ live: '5', weights: {} });
  });

  it('leaves functions alone that the deployment has added or removed, and says so', async () => {
    const account = await startAccount(deployed());

    const { stdout, code } = await run(
      account,
      'restore',
      STACK,
      fileOf({ ticker: '5', gone: '3', search: '7' }),
    );
    expect({ stdout, code }).toEqual({
      stdout:
        'left gone: the stack has no such function any more\nleft chart: it is newer than the record\nunchanged search: 7\nmoved ticker: 6 → 5\n1 moved, 1 unchanged, 0 not moved\n',
      code: 0,
    });
  });

  it('goes on after a version that no longer exists and a refusal, names both, and exits with 1', async () => {
    const account = await startAccount({
      ...deployed(),
      search: { live: '7', versions: hourly(7) },
      chart: { live: '2', versions: hourly(1, 2), denied: true },
    });

    expect(await run(account, 'restore', STACK, fileOf({ ticker: '5', chart: '1', search: '4' }))).toEqual({
      stdout: 'moved ticker: 6 → 5\n1 moved, 0 unchanged, 2 not moved\n',
      stderr:
        'not moved chart: 2, AccessDeniedException: may not touch chart\nnot moved search: 7, version 4 no longer exists\n',
      code: 1,
    });
    expect(liveOf(account)).toEqual({ ticker: '5', chart: '2', search: '7' });
  });

  it.each([
    ['is no JSON', 'oops'],
    ['is no record', { ticker: 5 }],
    ['is a list', ['5']],
  ])('changes nothing if the file %s', async (_, content) => {
    const account = await startAccount(deployed());

    const { stdout, stderr, code } = await run(account, 'restore', STACK, fileOf(content));
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toMatch(/^restore failed: .+\n$/);
    expect(account.changes).toEqual([]);
  });
});

describe('versions.ts rollback', () => {
  it('goes back to the newest version from before the time, and leaves what is older alone', async () => {
    const account = await startAccount(deployed());

    expect(await run(account, 'rollback', STACK, '--before', '2026-11-22T05:30Z')).toEqual({
      stdout:
        'unchanged chart: 2\nmoved search: 7 → 4\nmoved ticker: 6 → 5\n2 moved, 1 unchanged, 0 not moved\n',
      stderr: '',
      code: 0,
    });
    expect(liveOf(account)).toEqual({ ticker: '5', chart: '2', search: '4' });
  });

  it('does the same if it is run again, also where newer versions are about', async () => {
    const account = await startAccount(deployed());

    await run(account, 'rollback', STACK, '--before', '2026-11-22T05:30Z');
    const { stdout } = await run(account, 'rollback', STACK, '--before', '2026-11-22T05:30Z');
    expect(stdout).toContain('0 moved, 3 unchanged');
  });

  it('reads the zone of the time', async () => {
    const account = await startAccount({ ticker: { live: '6', versions: hourly(4, 5, 6) } });

    await run(account, 'rollback', STACK, '--before', '2026-11-22T06:30+01:00');
    expect(liveOf(account)).toEqual({ ticker: '5' });
  });

  it('counts versions as numbers: after 9 comes 10', async () => {
    const account = await startAccount({ ticker: { live: '11', versions: hourly(8, 9, 10, 11) } });

    await run(account, 'rollback', STACK, '--before', '2026-11-22T10:30Z');
    expect(liveOf(account)).toEqual({ ticker: '10' });
  });

  it('says which function has no older version, moves the others, and exits with 1', async () => {
    const account = await startAccount({ ...deployed(), chart: { live: '8', versions: hourly(8) } });

    const { stderr, code } = await run(account, 'rollback', STACK, '--before', '2026-11-22T05:30Z');
    expect({ stderr, code }).toEqual({
      stderr: 'not moved chart: 8, there is no version from before that time\n',
      code: 1,
    });
    expect(liveOf(account)).toEqual({ ticker: '5', chart: '8', search: '4' });
  });
});

describe('versions.ts forward', () => {
  it('goes to the versions that the stack has, wherever the aliases were pointed', async () => {
    const account = await startAccount({
      ticker: { live: '5', versions: hourly(5, 6, 7), deployed: '6' },
      chart: { live: '2', versions: hourly(1, 2) },
    });

    const { stdout, code } = await run(account, 'forward', STACK);
    expect({ stdout, code }).toEqual({
      stdout: 'unchanged chart: 2\nmoved ticker: 5 → 6\n1 moved, 1 unchanged, 0 not moved\n',
      code: 0,
    });
  });
});

describe('versions.ts prune', () => {
  it('keeps the newest five, and whatever an alias or its weights lead to', async () => {
    const account = await startAccount({
      ticker: {
        live: '12',
        weights: { 4: 0.1 },
        others: { before: '2', older: '3' },
        versions: hourly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
      },
      chart: { live: '2', versions: hourly(1, 2) },
    });

    expect(await run(account, 'prune', STACK)).toEqual({
      stdout: 'deleted ticker: 7\ndeleted ticker: 6\ndeleted ticker: 5\ndeleted ticker: 1\n',
      stderr: '',
      code: 0,
    });
    expect(Object.keys(account.functions.ticker?.versions ?? {}).map(Number)).toEqual([
      2, 3, 4, 8, 9, 10, 11, 12,
    ]);
    expect(Object.keys(account.functions.chart?.versions ?? {})).toHaveLength(2);
  });

  it('goes on after a failure, names it, and exits with 1', async () => {
    const versions = () => hourly(1, 2, 3, 4, 5, 6);
    const account = await startAccount({
      chart: { live: '6', versions: versions(), denied: true },
      ticker: { live: '6', versions: versions() },
    });

    expect(await run(account, 'prune', STACK)).toEqual({
      stdout: 'deleted ticker: 1\n',
      stderr: 'not deleted chart: 1, may not touch chart\n',
      code: 1,
    });
  });
});

describe('versions.ts', () => {
  it('exits with 1 for a stack that does not exist', async () => {
    const account = await startAccount(deployed());

    expect(await run(account, 'forward', 'marketdata-prdo')).toEqual({
      stdout: '',
      stderr: 'forward failed: Stack with id marketdata-prdo does not exist\n',
      code: 1,
    });
  });

  it.each([
    [[], 'The command is missing'],
    [['undo', STACK], 'Unknown command: undo'],
    [['toString', STACK], 'Unknown command: toString'],
    [['show'], 'It is: show <stack>'],
    [['restore', STACK], 'It is: restore <stack> <file>'],
    [['prune', STACK, 'ticker'], 'It is: prune <stack>'],
    [['rollback', STACK], 'It is: rollback <stack> --before <time>'],
    [['forward', STACK, '--before', '2026-11-22T05:30Z'], 'It is: forward <stack>'],
    [['rollback', STACK, '--before', 'yesterday'], '--before takes a time with its zone'],
    [['rollback', STACK, '--before', '2026-11-22T05:30'], '--before takes a time with its zone'],
    [['show', STACK, '--all'], "Unknown option '--all'"],
  ])('exits with 2, a reason and the help for %j', async (args, reason) => {
    const { stdout, stderr, code } = await run(undefined, ...args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain(reason);
    expect(stderr).toContain('\n\nUsage: npm run versions -- <command> <stack>\n');
    expect(stderr).not.toContain('    at ');
  });

  it('prints its help for --help', async () => {
    expect(await run(undefined, '--help')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('rollback <stack> --before <time>'),
    });
  });
});
