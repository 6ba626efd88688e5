import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { ListVersionsByFunctionCommand } from '@aws-sdk/client-lambda';
import { describe, expect, inject, it } from 'vitest';
import { type Account, type AccountFunction, awsError, mockAccount } from '../test/mocked-account.ts';
import { runHere } from '../test/run-here.ts';
import { main } from './versions.ts';

const STACK = 'marketdata-test';
const folder = mkdtempSync(join(inject('runFolder'), 'versions-'));

const run = (...args: string[]) => runHere(main, args);

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

/** The functions after a deployment at 05:30 that changed `ticker` and `search`, and not `chart`. */
const deployed = (): Record<string, AccountFunction> => ({
  ticker: { live: '6', versions: hourly(1, 2, 3, 4, 5, 6) },
  chart: { live: '2', versions: hourly(1, 2) },
  search: { live: '7', versions: hourly(4, 7) },
});

describe('versions.ts show', () => {
  it('prints the version of every function as JSON, over all pages of the stack', async () => {
    const account = mockAccount(deployed());

    const { stdout, stderr, code } = await run('show', STACK);
    expect({ shown: JSON.parse(stdout), stderr, code }).toEqual({
      shown: { chart: '2', search: '7', ticker: '6' },
      stderr: '',
      code: 0,
    });
    expect(account.changes).toEqual([]);
  });

  it('prints that nothing serves before the first deployment', async () => {
    mockAccount({});
    expect(await run('show', 'marketdata-new')).toEqual({ stdout: '{}\n', stderr: '', code: 0 });
  });
});

describe('versions.ts restore', () => {
  it('moves just the functions that a deployment has changed', async () => {
    const account = mockAccount(deployed());
    const before = { ticker: '5', chart: '2', search: '4' };

    expect(await run('restore', STACK, fileOf(before))).toEqual({
      stdout:
        'unchanged chart: 2\nmoved search: 7 → 4\nmoved ticker: 6 → 5\n2 moved, 1 unchanged, 0 not moved\n',
      stderr: '',
      code: 0,
    });
    expect(liveOf(account)).toEqual(before);
    expect(account.changes).toHaveLength(2);
  });

  it('leaves functions that the deployment has added or removed, and ends a canary', async () => {
    const account = mockAccount({
      ...deployed(),
      ticker: { live: '5', weights: { 6: 0.1 }, versions: hourly(5, 6) },
    });

    const { stdout, code } = await run('restore', STACK, fileOf({ ticker: '5', gone: '3', search: '7' }));
    expect({ stdout, code }).toEqual({
      stdout:
        'left gone: the stack has no such function any more\nleft chart: it is newer than the record\nunchanged search: 7\nmoved ticker: 5 → 5\n1 moved, 1 unchanged, 0 not moved\n',
      code: 0,
    });
    expect(account.functions.ticker).toMatchObject({ live: '5', weights: {} });
  });

  it('goes on after a version that no longer exists and a refusal, names both, and exits with 1', async () => {
    const account = mockAccount({
      ...deployed(),
      search: { live: '7', versions: hourly(7) },
      chart: { live: '2', versions: hourly(1, 2), denied: true },
    });

    expect(await run('restore', STACK, fileOf({ ticker: '5', chart: '1', search: '4' }))).toEqual({
      stdout: 'moved ticker: 6 → 5\n1 moved, 0 unchanged, 2 not moved\n',
      stderr:
        'not moved chart: 2, AccessDeniedException: may not touch chart\nnot moved search: 7, version 4 no longer exists\n',
      code: 1,
    });
    expect(liveOf(account)).toEqual({ ticker: '5', chart: '2', search: '7' });
  });

  it.each([
    ['is no JSON', 'oops'],
    ['is a list', ['5']],
  ])('changes nothing if the file %s', async (_, content) => {
    const account = mockAccount(deployed());

    const { stdout, stderr, code } = await run('restore', STACK, fileOf(content));
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toMatch(/^restore failed: .+\n$/);
    expect(account.changes).toEqual([]);
  });
});

describe('versions.ts rollback', () => {
  it('goes back to the newest version from before the time, and leaves older ones', async () => {
    const account = mockAccount(deployed());

    expect(await run('rollback', STACK, '--before', '2026-11-22T05:30Z')).toEqual({
      stdout:
        'unchanged chart: 2\nmoved search: 7 → 4\nmoved ticker: 6 → 5\n2 moved, 1 unchanged, 0 not moved\n',
      stderr: '',
      code: 0,
    });
    expect(liveOf(account)).toEqual({ ticker: '5', chart: '2', search: '4' });
  });

  it.each<[string, AccountFunction, string, string]>([
    ['reads the zone of the time', { live: '6', versions: hourly(4, 5, 6) }, '2026-11-22T06:30+01:00', '5'],
    ['counts versions as numbers', { live: '11', versions: hourly(8, 9, 10, 11) }, '2026-11-22T10:30Z', '10'],
    ['changes nothing if it is run again', { live: '5', versions: hourly(5, 6) }, '2026-11-22T05:30Z', '5'],
  ])('%s', async (_what, ticker, before, live) => {
    const account = mockAccount({ ticker });

    await run('rollback', STACK, '--before', before);
    expect(liveOf(account)).toEqual({ ticker: live });
  });

  it('says which function has no older version, moves the others, and exits with 1', async () => {
    const account = mockAccount({ ...deployed(), chart: { live: '8', versions: hourly(8) } });

    const { stderr, code } = await run('rollback', STACK, '--before', '2026-11-22T05:30Z');
    expect({ stderr, code }).toEqual({
      stderr: 'not moved chart: 8, there is no version from before that time\n',
      code: 1,
    });
    expect(liveOf(account)).toEqual({ ticker: '5', chart: '8', search: '4' });
  });
});

describe('versions.ts forward', () => {
  it('goes to the versions that the stack has, wherever the aliases point', async () => {
    mockAccount({
      ticker: { live: '5', versions: hourly(5, 6, 7), deployed: '6' },
      chart: { live: '2', versions: hourly(1, 2) },
    });

    const { stdout, code } = await run('forward', STACK);
    expect({ stdout, code }).toEqual({
      stdout: 'unchanged chart: 2\nmoved ticker: 5 → 6\n1 moved, 1 unchanged, 0 not moved\n',
      code: 0,
    });
  });
});

describe('versions.ts prune', () => {
  it('keeps the newest five, and those of aliases and their weights', async () => {
    const account = mockAccount({
      ticker: {
        live: '12',
        weights: { 4: 0.1 },
        others: { before: '2', older: '3' },
        versions: hourly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
      },
      chart: { live: '2', versions: hourly(1, 2) },
    });

    expect(await run('prune', STACK)).toEqual({
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
    mockAccount({
      chart: { live: '6', versions: versions(), denied: true },
      ticker: { live: '6', versions: versions() },
    });

    expect(await run('prune', STACK)).toEqual({
      stdout: 'deleted ticker: 1\n',
      stderr: 'not deleted chart: 1, may not touch chart\n',
      code: 1,
    });
  });
});

describe('an account that stops answering halfway', () => {
  const throttled = awsError('ThrottlingException', 'Rate exceeded');

  it('moves nothing if the second page of the stack is throttled', async () => {
    const account = mockAccount(deployed());
    account.cloudFormation
      .on(ListStackResourcesCommand, { StackName: STACK, NextToken: '2' })
      .rejects(throttled);

    expect(await run('forward', STACK)).toEqual({
      stdout: '',
      stderr: 'forward failed: Rate exceeded\n',
      code: 1,
    });
    expect(account.changes).toEqual([]);
  });

  it.each([
    ['moves no alias on rollback unless the versions of all functions are known', 'rollback', '4'],
    ['deletes no version on prune that a page may have kept among the newest', 'prune', '8'],
  ])('%s', async (_what, command, Marker) => {
    const account = mockAccount({ ticker: { live: '9', versions: hourly(1, 2, 3, 4, 5, 6, 7, 8, 9) } });
    account.lambda.on(ListVersionsByFunctionCommand, { FunctionName: 'ticker', Marker }).rejects(throttled);
    const options = command === 'rollback' ? ['--before', '2026-11-22T05:30Z'] : [];

    expect(await run(command, STACK, ...options)).toMatchObject({
      stderr: `${command} failed: Rate exceeded\n`,
      code: 1,
    });
    expect(account.changes).toEqual([]);
  });
});

describe('versions.ts', () => {
  it('exits with 1 for a stack that does not exist', async () => {
    mockAccount(deployed());

    expect(await run('forward', 'marketdata-prdo')).toEqual({
      stdout: '',
      stderr: 'forward failed: Stack with id marketdata-prdo does not exist\n',
      code: 1,
    });
  });

  it.each([
    [[], 'The command is missing'],
    [['undo', STACK], 'Unknown command: undo'],
    [['restore', STACK], 'The command is: restore <stack> <file>'],
    [['prune', STACK, 'ticker'], 'The command is: prune <stack>'],
    [['rollback', STACK], 'The command is: rollback <stack> --before <time>'],
    [['rollback', STACK, '--before', '2026-04-31T18:00:00Z'], '--before takes a time with its zone'],
    [['rollback', STACK, '--before', 'yesterday'], '--before takes a time with its zone'],
    [['show', STACK, '--all'], "Unknown option '--all'"],
  ])('is status 2 with a reason and the command for help for %j', async (args, reason) => {
    const { stdout, stderr, code } = await run(...args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain(reason);
    expect(stderr).toMatch(/^.+\nSee npm run versions -- --help\n$/);
  });

  it('prints its help for --help', async () => {
    expect(await run('--help')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('rollback <stack> --before <time>'),
    });
  });
});
