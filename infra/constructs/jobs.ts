import { Duration } from 'aws-cdk-lib';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { type Job, minutesBetween } from '../../shared/platform/job.ts';
import { acknowledge } from '../validation.ts';
import { ServiceFunction, type ServiceFunctionProps, ServiceRole } from './functions.ts';

/**
 * Intervals within an hour start at a minute of their own. Longer intervals start when the schedule is created (EventBridge Scheduler
 * User Guide, "Rate-based schedules"), because a new stage cannot wait a day for their data.
 */
export function scheduleOf({ fromMinute = 0 }: Pick<Job, 'fromMinute'>, minutes: number): ScheduleExpression {
  if (minutes > HOUR_MINUTES) return ScheduleExpression.rate(Duration.minutes(minutes));
  const first = fromMinute % minutes;
  return ScheduleExpression.cron({ minute: minutes === HOUR_MINUTES ? `${first}` : `${first}/${minutes}` });
}

const HOUR_MINUTES = 60;
const MAX_EVENT_AGE_MINUTES = 6 * 60;

/** Shared by all jobs: the dead-letter queue, and the role with which EventBridge Scheduler invokes them. */
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

/** A function whose alias is invoked on a schedule; events that fail at every try go to the dead-letter queue. */
export class ScheduledJob extends Construct {
  readonly function: ServiceFunction;
  readonly #schedule: Schedule;

  constructor(
    scope: Construct,
    id: string,
    {
      job,
      shared,
      ...props
    }: Omit<ServiceFunctionProps, 'code'> & { readonly job: Job; readonly shared: SharedByJobs },
  ) {
    super(scope, id);
    const { deadLetters, schedulerRole } = shared;
    const minutes = minutesBetween(job, parseEnvironment(props.config.environment));
    const retries = {
      retryAttempts: job.retries,
      // The next event makes one that waited this long superfluous.
      maxEventAge: Duration.minutes(Math.min(minutes, MAX_EVENT_AGE_MINUTES)),
    };
    this.function = new ServiceFunction(this, 'Function', { ...props, code: job });
    const { live } = this.function;
    // The scheduler does not wait for the function, so the alias retries failures.
    live.configureAsyncInvoke({ ...retries, onFailure: new SqsDestination(deadLetters) });
    this.#schedule = new Schedule(this, 'Schedule', {
      description: job.summary,
      schedule: scheduleOf(job, minutes),
      target: new LambdaInvoke(live, {
        role: schedulerRole,
        deadLetterQueue: deadLetters,
        ...retries,
        input: ScheduleTargetInput.fromObject({}),
      }),
    });
  }

  /** Starts after the other resources: a first run publishes, and a failed deployment cannot delete a bucket that is not empty. */
  startAfter(...others: readonly IDependable[]): void {
    this.#schedule.node.addDependency(...others);
  }
}
