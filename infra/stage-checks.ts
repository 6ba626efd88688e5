/** Checks of a stage's configuration, and warnings before a deployment. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { routes } from '../functions/routes.ts';
import {
  nodeEnvProblem,
  refuseProblems,
  settingProblems,
  variables,
} from '../shared/platform/environment.ts';
import { coinProvider } from '../shared/providers/index.ts';
import { NOBODY, type StageConfig, stages } from './config.ts';

/**
 * Throws a ConfigurationError that lists everything in a stage's configuration that its functions cannot use. That includes secrets
 * that nothing reads, because the route that should read them would be missing.
 */
export function assertUsable(
  stage: string,
  { nodeEnv, environment, secretNames, runbookUrl }: StageConfig,
): void {
  const read = [...Object.keys(variables), ...routes.flatMap(({ allSecrets }) => allSecrets)];
  const unread = Object.keys(secretNames).filter((name) => !read.includes(name));
  refuseProblems(
    [
      ...[nodeEnvProblem(nodeEnv) ?? []].flat(),
      ...settingProblems(variables, environment),
      ...unread.map((name) => `secretNames has ${name}, which no route reads`),
      ...(/^https:\/\/[^/]+\/\S+$/.test(runbookUrl)
        ? []
        : [`runbookUrl="${runbookUrl}" must be an https:// URL: mails link to it`]),
    ],
    `Settings of stage ${stage} in infra/config.ts`,
  );
}

/** Warnings before a deployment, by the id under which they may be acknowledged. */
export function warningsOf(stage: string, config: StageConfig): Record<string, string> {
  const { nodeEnv, alarmEmails, removalPolicy, runbookUrl } = config;
  const lasts = removalPolicy !== RemovalPolicy.DESTROY;
  const sharedKey = sharedKeyProblem(stage, config);
  return {
    ...(sharedKey && { 'shared-key': sharedKey }),
    ...(nodeEnv !== 'production' && {
      'authentication-bypassed': `Stage ${stage} runs with NODE_ENV=${nodeEnv}: anybody may call it without a key`,
    }),
    ...(lasts &&
      alarmEmails.length === 0 && {
        'alarms-unheard': `Stage ${stage} is to last, and its alarms reach nobody: set alarmEmails in infra/config.ts to addresses of those who run it`,
      }),
    ...(lasts &&
      runbookUrl.includes(`/${NOBODY}/`) && {
        'runbook-unknown': `The alarms of stage ${stage} link to ${runbookUrl}: set runbookUrl in infra/config.ts to where your docs/oncall.md is`,
      }),
  };
}

/** The problem if stages with the same provider key could together exceed its plan; otherwise undefined. */
export function sharedKeyProblem(
  stage: string,
  config: StageConfig,
  all: Readonly<Record<string, StageConfig>> = stages,
): string | undefined {
  const { key } = coinProvider.settings;
  const keyOf = ({ secretNames }: StageConfig) => (key && secretNames[key]) ?? '';
  const sharing = Object.entries({ ...all, [stage]: config }).filter(
    ([, other]) => keyOf(other) === keyOf(config),
  );
  const budgets = sharing.map(([, { environment }]) =>
    Number(environment.UPSTREAM_MONTHLY_BUDGET ?? variables.UPSTREAM_MONTHLY_BUDGET.default),
  );
  const total = budgets.reduce((sum, budget) => sum + budget, 0);
  if (!Object.hasOwn(all, stage) || sharing.length < 2 || total <= config.planRequests) return undefined;
  const names = sharing.map(([name]) => name).join(', ');
  return `Stages ${names} ask the provider ${keyOf(config) ? 'with the same key' : 'without a key'} and together may spend ${total} requests a month of a plan of ${config.planRequests} (planRequests): if you deploy more than one, set UPSTREAM_MONTHLY_BUDGET of each to its part in infra/config.ts`;
}
