import { Aws, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Severity } from '../../shared/http/domain.ts';

interface AlarmTopicProps {
  readonly severity: Severity;
  readonly emails: readonly string[];
}

/** The topic of the alarms of one severity. Not encrypted with a key: its messages hold names of alarms and numbers, which are no secrets. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { severity, emails }: AlarmTopicProps) {
    super(scope, id, { displayName: `${Stack.of(scope).stackName} ${severity}`, enforceSSL: true });
    for (const email of emails) this.addSubscription(new EmailSubscription(email));
    // A policy of our own, as enforceSSL makes one, takes the place of the one that lets the account's alarms in.
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
  }
}
