import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge } from '../validation.ts';

/** Moves aliases to new versions: a tenth of the requests for five minutes, then all of them unless an alarm goes off. */
export class Canaries extends Construct {
  readonly #application: LambdaApplication;
  readonly #role: Role;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const policy = 'service-role/AWSCodeDeployRoleForLambdaLimited';
    this.#application = new LambdaApplication(this, 'Application');
    this.#role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
    });
    acknowledge(this.#role, {
      [`IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`]:
        'The policy that AWS keeps for just this: it can move aliases and read alarms, and invoke nothing of ours.',
    });
  }

  /** The alarm takes a new version back. */
  add(id: string, alias: Alias, alarm: IAlarm): void {
    new LambdaDeploymentGroup(this, `${id}Deployment`, {
      alias,
      application: this.#application,
      role: this.#role,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [alarm],
    });
  }
}
