import { type App, CloudFormationValidatePlugin, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';

/**
 * Every synth fails on a finding of the AWS Solutions rules or of the offline template linter that no construct
 * acknowledges with a reason.
 */
export function validateOnSynth(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new CloudFormationValidatePlugin());
}
