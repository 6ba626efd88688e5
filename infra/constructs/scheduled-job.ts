import { Duration, Stack } from 'aws-cdk-lib';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import type { Job } from '../../shared/platform/job.ts';
import type { StageConfig } from '../config.ts';
import { acknowledge } from './acknowledge.ts';
import { RouteFunction, type RouteFunctionProps } from './route-function.ts';
import { ServiceRole } from './service-role.ts';

interface ScheduledJobProps extends Omit<RouteFunctionProps, 'route'> {
  readonly job: Job;
  readonly shared: SharedByJobs;
  /** The stage's, which may say how often the job runs. */
  readonly settings: StageConfig['environment'];
}

function minutesBetween({ everyMinutes }: Job, settings: StageConfig['environment']): number {
  return typeof everyMinutes === 'number' ? everyMinutes : Number(parseEnvironment(settings)[everyMinutes]);
}

/** The runs in a day of all jobs that ask the provider once: as many requests are kept for them. */
export function scheduledRequestsADay(jobs: readonly Job[], settings: StageConfig['environment']): number {
  const runs = jobs
    .filter(({ asksOnce }) => asksOnce)
    .map((job) => Math.ceil((24 * 60) / minutesBetween(job, settings)));
  return runs.reduce((sum, count) => sum + count, 0);
}

const MAX_EVENT_AGE_MINUTES = 6 * 60;

/** What all jobs have in common: the queue of events that failed, and the role in which EventBridge Scheduler invokes them. */
export class SharedByJobs extends Construct {
  readonly deadLetters: Queue;
  readonly schedulerRole: ServiceRole;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    acknowledge(this.deadLetters, {
      SQS3: 'It is the dead-letter queue of Lambda functions and schedules, which this rule does not see.',
    });
    this.schedulerRole = new ServiceRole(this, 'SchedulerRole', 'scheduler');
  }
}

/** A function that runs on a schedule; an event that failed every time is kept in the dead-letter queue. */
export class ScheduledJob extends Construct {
  readonly name: Job['name'];
  readonly function: RouteFunction;
  readonly #schedule: Schedule;

  constructor(scope: Construct, id: string, { job, settings, shared, ...props }: ScheduledJobProps) {
    super(scope, id);
    this.name = job.name;
    const { deadLetters, schedulerRole } = shared;
    const minutes = minutesBetween(job, settings);
    const retries = {
      retryAttempts: job.retries,
      // The next event is as good as one that has waited so long.
      maxEventAge: Duration.minutes(Math.min(minutes, MAX_EVENT_AGE_MINUTES)),
    };
    this.function = new RouteFunction(this, 'Function', { ...props, route: job });
    // The scheduler hands the event over without waiting: retries after a failure are the function's own.
    this.function.configureAsyncInvoke({ ...retries, onFailure: new SqsDestination(deadLetters) });
    this.#schedule = new Schedule(this, 'Schedule', {
      description: job.summary,
      schedule:
        job.fromMinute === undefined
          ? ScheduleExpression.rate(Duration.minutes(minutes))
          : ScheduleExpression.cron({ minute: `${job.fromMinute}/${minutes}` }),
      target: new LambdaInvoke(this.function, {
        role: schedulerRole,
        deadLetterQueue: deadLetters,
        ...retries,
        input: ScheduleTargetInput.fromObject({}),
      }),
    });
    const fn = Stack.of(this).getLogicalId(this.function.node.defaultChild as CfnFunction); // a Function's default child
    acknowledge(schedulerRole, {
      [`IAM5[Resource::<${fn}.Arn>:*]`]:
        "The versions of this one function: the target's own grant names them so.",
    });
  }

  /** Its first run publishes, and a bucket that is not empty could not be taken back with a deployment that fails. */
  startAfter(...others: readonly IDependable[]): void {
    this.#schedule.node.addDependency(...others);
  }
}
