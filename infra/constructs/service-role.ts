import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * The role of one AWS service. What it is granted is part of the role itself, where the stock `Role` makes a second
 * resource, `AWS::IAM::Policy`: a stack may have 500 resources, and a function with its route and alarms needs a dozen.
 */
export class ServiceRole extends Role {
  readonly #granted: PolicyDocument;

  constructor(scope: Construct, id: string, service: 'lambda' | 'scheduler') {
    const granted = new PolicyDocument();
    super(scope, id, {
      assumedBy: new ServicePrincipal(`${service}.amazonaws.com`),
      // The document is rendered at synth, with all that was granted until then.
      inlinePolicies: { Granted: granted },
    });
    this.#granted = granted;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#granted.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
