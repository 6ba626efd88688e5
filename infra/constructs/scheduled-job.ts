import { Duration, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
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

interface ScheduledJobProps extends Omit<RouteFunctionProps, 'route'> {
  readonly job: Job;
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

/** A function that runs on a schedule; an event that failed every time is kept in a dead-letter queue. */
export class ScheduledJob extends Construct {
  readonly function: RouteFunction;
  readonly deadLetters: Queue;
  readonly #schedule: Schedule;

  constructor(scope: Construct, id: string, { job, settings, ...props }: ScheduledJobProps) {
    super(scope, id);
    const minutes = minutesBetween(job, settings);
    const retries = {
      retryAttempts: job.retries,
      // The next event is as good as one that has waited so long.
      maxEventAge: Duration.minutes(Math.min(minutes, MAX_EVENT_AGE_MINUTES)),
    };
    this.deadLetters = new Queue(this, 'DeadLetters', {
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    acknowledge(this.deadLetters, {
      SQS3: 'It is the dead-letter queue, of a Lambda function and a schedule, which this rule does not see.',
    });
    this.function = new RouteFunction(this, 'Function', { ...props, route: job });
    // The scheduler hands the event over without waiting: retries after a failure are the function's own.
    this.function.configureAsyncInvoke({ ...retries, onFailure: new SqsDestination(this.deadLetters) });
    this.#schedule = new Schedule(this, 'Schedule', {
      description: job.summary,
      schedule: job.onTheHour
        ? ScheduleExpression.cron({ minute: `0/${minutes}` })
        : ScheduleExpression.rate(Duration.minutes(minutes)),
      target: new LambdaInvoke(this.function, {
        role: this.#schedulerRole(),
        deadLetterQueue: this.deadLetters,
        ...retries,
        input: ScheduleTargetInput.fromObject({}),
      }),
    });
  }

  /** Its first run publishes, and a bucket that is not empty could not be taken back with a deployment that fails. */
  startAfter(...others: readonly IDependable[]): void {
    this.#schedule.node.addDependency(...others);
  }

  #schedulerRole(): Role {
    const role = new Role(this, 'SchedulerRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
    });
    const fn = Stack.of(this).getLogicalId(this.function.node.defaultChild as CfnFunction); // a Function's default child
    acknowledge(role, {
      [`IAM5[Resource::<${fn}.Arn>:*]`]:
        "The versions of this one function: the target's own grant names them so.",
    });
    return role;
  }
}
