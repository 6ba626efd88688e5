import { dirname, join } from 'node:path';
import {
  type App,
  CloudFormationValidatePlugin,
  type IPolicyValidationContext,
  NestedStack,
  type PolicyValidationPluginReport,
  Validations,
} from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/**
 * Makes every synth fail on findings of the AWS Solutions rules or the offline template linter that no construct acknowledges with a
 * reason.
 */
export function validateOnSynth(app: App): void {
  linter ??= new TemplateLinter();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), linter);
}

/** Accepts findings of the AWS Solutions rules on a construct: the rule, such as `S1`, with the reason. */
export function acknowledge(construct: IConstruct, findings: Readonly<Record<string, string>>): void {
  const acknowledged = Object.entries(findings).map(([rule, reason]) => {
    return { id: `AwsSolutions::AwsSolutions-${rule}`, reason };
  });
  Validations.of(construct).acknowledge(...acknowledged);
}

/** One for all apps of a process, because loading its rules takes a second. */
let linter: TemplateLinter | undefined;

/** The CDK's linter reads the templates of stacks; this one also reads nested ones. */
class TemplateLinter extends CloudFormationValidatePlugin {
  override validate(context: IPolicyValidationContext): PolicyValidationPluginReport {
    const nested = context.appConstruct.node.findAll().filter(NestedStack.isNestedStack);
    const stackTemplates = context.stackTemplates.flatMap((stack) => [
      stack,
      ...nested
        .filter(({ nestedStackParent }) => nestedStackParent?.node.path === stack.stackConstructPath)
        .map(({ node, templateFile }) => ({
          ...stack,
          stackConstructPath: node.path,
          templatePath: join(dirname(stack.templatePath), templateFile),
        })),
    ]);
    return super.validate({ ...context, stackTemplates });
  }
}
