import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Accepts findings of the AWS Solutions rules on a construct: the rule, such as `S1`, with the reason. */
export function acknowledge(construct: IConstruct, findings: Readonly<Record<string, string>>): void {
  const acknowledged = Object.entries(findings).map(([rule, reason]) => {
    return { id: `AwsSolutions::AwsSolutions-${rule}`, reason };
  });
  Validations.of(construct).acknowledge(...acknowledged);
}
