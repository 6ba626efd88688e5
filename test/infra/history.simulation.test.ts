import { describe, expect, test } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { stageConfig, stageNames } from '../../infra/config.ts';
import { constructId } from '../../infra/constructs/functions.ts';
import { HISTORY_PREFIX, KEPT_DAYS, objectNames } from '../../shared/marketdata/store/names.ts';
import { templateOf } from './synthesized.ts';

const template = templateOf('prod');
const { history } = stageConfig('prod');

/** Days after which an object of the history is gone; undefined: it stays. */
function daysOf(name: string, changes: Partial<typeof history> = {}): number | undefined {
  const buckets = templateOf('prod', { history: { ...history, ...changes } }).findResources(
    'AWS::S3::Bucket',
  );
  const rules: { Prefix: string; ExpirationInDays?: number }[] = Object.values(buckets).flatMap(
    ({ Properties }) => Properties.LifecycleConfiguration.Rules,
  );
  const found = rules.filter(
    ({ Prefix, ExpirationInDays }) => ExpirationInDays && `${HISTORY_PREFIX}${name}`.startsWith(Prefix),
  );
  expect(found.length, name).toBeLessThanOrEqual(1);
  return found[0]?.ExpirationInDays;
}

describe('our own history', () => {
  test('its bucket is known to the functions that publish it or answer from it, and to no other', () => {
    const [bucket] = Object.keys(template.findResources('AWS::S3::Bucket'));
    const knowing = Object.entries(template.findResources('AWS::Lambda::Function')).filter(
      ([, { Properties }]) => Properties.Environment?.Variables.HISTORY_BUCKET !== undefined,
    );
    const expected = [
      ...routes.filter((route) => route.history).map(constructId),
      ...jobs
        .filter(({ publishes }) => publishes?.includes('history'))
        .map((job) => `${constructId(job)}Function`),
    ];

    expect(knowing.map(([id]) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual(expected.sort());
    for (const [, { Properties }] of knowing)
      expect(Properties.Environment.Variables.HISTORY_BUCKET).toEqual({ Ref: bucket });
  });

  test('its hours of exchanges are asked for as an hour begins, and every ten minutes after that; the past later', () => {
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      Description: jobs.find(({ name }) => name === 'marketdata/candles')?.summary,
      ScheduleExpression: 'cron(0/10 * * * ? *)',
    });
    // When these have been asked for, because both ask at an exchange's pace.
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      Description: jobs.find(({ name }) => name === 'marketdata/past')?.summary,
      ScheduleExpression: 'cron(15/30 * * * ? *)',
    });
  });

  test('samples and the hours of a day go after the days that the stage says, hours of a coin with their month', () => {
    const day = Date.UTC(2026, 0, 31);

    for (const name of [objectNames.samples(day, 600_000), objectNames.hours(day), objectNames.exact(day)]) {
      expect(daysOf(name)).toBe(35);
      expect(daysOf(name, { sampleDays: 2 })).toBe(2);
    }
    expect(daysOf(objectNames.series('1h', 'btc-bitcoin', day))).toBe(730 + 31);
    expect(daysOf(objectNames.series('1h', 'btc-bitcoin', day), { hourlyDays: 90 })).toBe(90 + 31);
  });

  test.each(stageNames)('stage %s keeps them for as long as the jobs look back', (stage) => {
    expect(stageConfig(stage).history.sampleDays).toBeGreaterThanOrEqual(KEPT_DAYS);
  });

  test('days of a coin stay for ever, and so does the jobs’ own memory', () => {
    const days = objectNames.series('24h', 'btc-bitcoin', Date.now());
    for (const name of [days, objectNames.coin('hours/samples'), objectNames.rolledUp, objectNames.past])
      expect(daysOf(name)).toBeUndefined();
  });

  test.each([
    [{ sampleDays: 1 }, 'history.sampleDays is 1: it must be an integer from 2'],
    [{ sampleDays: 2.5 }, 'history.sampleDays is 2.5: it must be an integer from 2'],
    [{ sampleDays: Number.NaN }, 'history.sampleDays is NaN'],
    [{ hourlyDays: 0 }, 'history.hourlyDays is 0: it must be an integer from 1'],
  ])('a stage that keeps it for no time is not synthesized: %j', (changes, error) => {
    expect(() => templateOf('dev', { history: { ...history, ...changes } })).toThrow(error);
  });
});
