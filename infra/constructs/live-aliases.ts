import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge } from '../validation.ts';

/**
 * The alias `live` of each route's function, which all requests go to, in every stage. With canaries, a new version gets a
 * tenth of the requests for five minutes, then all, unless an alarm goes off; without, all at once.
 */
export class LiveAliases extends Construct {
  readonly #canaries: { readonly application: LambdaApplication; readonly role: Role } | undefined;

  constructor(scope: Construct, id: string, { canary }: { readonly canary: boolean }) {
    super(scope, id);
    this.#canaries = canary ? this.#newCanaries() : undefined;
  }

  /** The alias of a function; with canaries, the alarm takes a new version back. */
  aliasOf(id: string, fn: LambdaFunction, alarmOfVersion: (alias: Alias) => IAlarm): Alias {
    const alias = new Alias(this, id, { aliasName: 'live', version: fn.currentVersion });
    if (this.#canaries) {
      new LambdaDeploymentGroup(this, `${id}Deployment`, {
        alias,
        ...this.#canaries,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [alarmOfVersion(alias)],
      });
    }
    return alias;
  }

  #newCanaries() {
    const application = new LambdaApplication(this, 'Application');
    const policy = 'service-role/AWSCodeDeployRoleForLambdaLimited';
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
    });
    acknowledge(role, {
      [`IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`]:
        'The policy that AWS keeps for just this: it can move aliases and read alarms, and invoke nothing of ours.',
    });
    return { application, role };
  }
}
