import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

/** New versions of functions get a tenth of the requests for five minutes, then all, unless an alarm goes off. */
export class CanaryDeployments extends Construct {
  readonly #application: LambdaApplication;
  readonly #role: Role;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#application = new LambdaApplication(this, 'Application');
    this.#role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited'),
      ],
    });
    acknowledge(this.#role, {
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
        'The policy that AWS keeps for just this: it can move aliases and read alarms, and invoke nothing of ours.',
    });
  }

  /** The alias `live` of a function, for requests to go to: any of the alarms takes a new version back. */
  liveAlias(id: string, fn: LambdaFunction, rollbackOn: readonly IAlarm[]): Alias {
    const alias = new Alias(this, id, { aliasName: 'live', version: fn.currentVersion });
    new LambdaDeploymentGroup(this, `${id}Deployment`, {
      alias,
      application: this.#application,
      role: this.#role,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [...rollbackOn],
    });
    return alias;
  }
}
