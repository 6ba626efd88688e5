import { describe, expect, test } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { type StageConfig, stageNames } from '../../infra/config.ts';
import { templateOf } from './synthesized.ts';

/** The minutes after the first deployment. Longer intervals are whole hours, so no later hour has more starts. */
const MINUTES = 120;
/** Concurrent executions of a new account. */
const CONTAINERS = 10;

/** The minutes in which a schedule starts its job if its stage is first deployed in one minute of an hour. */
function startsOf(expression: string, deployedAt: number): number[] {
  const minutes = Array.from({ length: MINUTES }, (_, minute) => deployedAt + minute);
  const [, first, step = '60'] = /^cron\((\d+)(?:\/(\d+))? \* \* \* \? \*\)$/.exec(expression) ?? [];
  if (first !== undefined)
    return minutes.filter((minute) => minute % 60 >= +first && ((minute % 60) - +first) % +step === 0);
  if (!/^rate\(\d+ (hour|day)s?\)$/.test(expression)) throw new Error(`Unknown schedule ${expression}`);
  return [deployedAt];
}

function schedulesOf(stage: string, changes: Partial<StageConfig> = {}) {
  const schedules = Object.values(templateOf(stage, changes).findResources('AWS::Scheduler::Schedule'));
  return schedules.map(({ Properties }) => {
    const job = jobs.find(({ summary }) => summary === Properties.Description);
    if (!job) throw new Error(`No job is described as ${Properties.Description}`);
    return { job, expression: Properties.ScheduleExpression as string };
  });
}

const everyMinute = Array.from({ length: 60 }, (_, minute) => minute);

/** The most jobs that run in any one minute, if each takes `minutesOf` its time-out, whenever the stage is first deployed. */
function mostOf(
  schedules: ReturnType<typeof schedulesOf>,
  minutesOf: (timeoutSeconds: number) => number,
): number {
  const counts = everyMinute.map((deployedAt) => {
    const perMinute = new Map<number, number>();
    for (const { job, expression } of schedules)
      for (const start of startsOf(expression, deployedAt))
        for (let minute = start; minute < start + minutesOf(job.timeoutSeconds); minute += 1)
          perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
    return Math.max(...perMinute.values());
  });
  return Math.max(...counts);
}

const started = () => 1;
const untilTimeout = (timeoutSeconds: number) => Math.ceil(timeoutSeconds / 60);

describe.each(stageNames)('in stage %s', (stage) => {
  const schedules = schedulesOf(stage);

  test('at most four jobs start in the same minute, even at the first deployment, besides that of every minute', () => {
    const others = schedules.filter(({ job }) => job.everyMinutes !== 'QUOTES_MINUTES');
    expect(mostOf(others, started)).toBeLessThanOrEqual(4);
    const withinHour = others.filter(({ expression }) => expression.startsWith('cron'));
    expect(mostOf(withinHour, started)).toBe(1);
  });

  test('jobs that run until their time-out leave four of a new account’s ten containers to callers', () => {
    expect(mostOf(schedules, untilTimeout)).toBeLessThanOrEqual(CONTAINERS - 4);
  });

  test('every job has started half an hour after the first deployment', () => {
    for (const { job, expression } of schedules)
      for (const deployedAt of everyMinute) {
        const [first = Number.NaN] = startsOf(expression, deployedAt);
        expect(first - deployedAt, job.name).toBeLessThanOrEqual(30);
      }
  });
});

test('the monthly export is one more start', () => {
  expect(mostOf(schedulesOf('prod', { monthlyExport: true, canary: false }), started)).toBeLessThanOrEqual(6);
});
