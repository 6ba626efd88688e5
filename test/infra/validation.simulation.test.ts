import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, CfnResource, NestedStack, Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { describe, expect, test } from 'vitest';
import { type StageConfig, stageConfig, stageNames } from '../../infra/config.ts';
import { sharedKeyProblem, warningsOf } from '../../infra/stage-checks.ts';
import { validateOnSynth } from '../../infra/validation.ts';
import { isLong } from '../setup/long.ts';
import { configured, newApp, runbookUrl, stackOf } from './synthesized.ts';

interface Finding {
  readonly ruleName: string;
  readonly reason?: string;
  readonly violatingConstructs: readonly { readonly constructPath: string }[];
}

interface PluginReport {
  readonly violations: readonly Finding[];
  readonly suppressedViolations?: readonly Finding[];
}

function validate(app: App): readonly PluginReport[] {
  const { directory } = app.synth();
  return JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8')).pluginReports;
}

function validatedApp(): App {
  const app = newApp();
  validateOnSynth(app);
  return app;
}

/** The rules of acknowledged findings, by stage. */
function acknowledgedIn(reports: readonly PluginReport[], stage: string): string[] {
  const rules = reports.flatMap(({ suppressedViolations = [] }) =>
    suppressedViolations
      .filter(({ violatingConstructs }) =>
        violatingConstructs.some(({ constructPath }) => constructPath.startsWith(`marketdata-${stage}/`)),
      )
      .map(({ ruleName }) => ruleName.replace(/^AwsSolutions-|\[.*/g, '')),
  );
  return [...new Set(rules)].sort();
}

/** A plan that is enough for all stages. */
const shared = { planRequests: 60_000 };

describe('validation at synth', { timeout: 180_000 }, () => {
  const everywhere = ['APIG4', 'IAM5', 'S1', 'SMG4', 'SQS3'];
  const ofPage = ['CFR1', 'CFR3', 'IAM4', 'L1', 'W2509'];

  test('has only acknowledged findings in stages as they ship', () => {
    const app = validatedApp();
    for (const stage of ['hobby', 'prod']) stackOf(stage, shared, app);
    const reports = validate(app);

    expect(reports.flatMap(({ violations }) => violations)).toEqual([]);
    expect(acknowledgedIn(reports, 'hobby')).toEqual(everywhere);
    expect(acknowledgedIn(reports, 'prod')).toEqual([...everywhere, ...ofPage, 'CFR4'].sort());
  });

  const findsNothingWithSettings = () => {
    const app = validatedApp();
    stackOf('prod', { ...shared, ...configured }, app);
    stackOf('dev', { ...shared, dataBucket: 'left-by-another-stack' }, app);
    const reports = validate(app);

    expect(reports.flatMap(({ violations }) => violations)).toEqual([]);
    expect(acknowledgedIn(reports, 'dev')).toEqual([...everywhere, ...ofPage, 'CFR2', 'CFR4'].sort());
    expect(acknowledgedIn(reports, 'prod')).not.toContain('CFR4');
  };
  if (isLong)
    test(
      'finds nothing with every setting, nor in a stage that takes over a bucket',
      findsNothingWithSettings,
    );

  test('an unacknowledged finding of the security rules stops the synth', () => {
    const app = validatedApp();
    new Secret(new Stack(app, 'Small'), 'Unacknowledged');

    expect(() => app.synth()).toThrow(/AwsSolutions-SMG4/);
  });

  test.each([
    ['a template', (stack: Stack) => stack],
    ['a nested template', (stack: Stack) => new NestedStack(stack, 'Nested')],
  ])('a resource of %s that CloudFormation would refuse stops the synth', (_where, scopeIn) => {
    const app = validatedApp();
    new CfnResource(scopeIn(new Stack(app, 'Small')), 'Broken', {
      type: 'AWS::Logs::LogGroup',
      properties: { RetentionInDays: 'for ever' },
    });

    expect(() => app.synth()).toThrow(/RetentionInDays/);
  });
});

describe('a stage', () => {
  /** Its warnings; it has a plan, addresses and pages of its own unless `changes` says otherwise. */
  const warnings = (stage: string, changes: Partial<StageConfig> = {}) => {
    const own = { ...shared, alarmEmails: ['on-call@example.com'], runbookUrl };
    return Object.values(warningsOf(stage, { ...stageConfig(stage), ...own, ...changes }));
  };

  test('that is set up has no warnings, and synth shows those that others have', () => {
    for (const stage of [...stageNames, 'local']) {
      expect(stageConfig(stage).nodeEnv).toBe('production');
      expect(warnings(stage)).toEqual([]);
    }
    const shown = stackOf('dev', { ...shared, nodeEnv: 'development' }).node.metadata;
    expect(shown.filter(({ type }) => type === 'aws:cdk:warning').map(({ data }) => data)).toEqual([
      expect.stringContaining('Stage dev runs with NODE_ENV=development: anybody may call it without a key'),
    ]);
  });

  test.each<[string, Partial<StageConfig>, readonly string[], string]>([
    [
      'may spend more than the plan of its key with others',
      { planRequests: 20_000 },
      ['hobby', 'dev', 'prod'],
      'Stages hobby, dev, prod ask the provider without a key and together may spend 60000 requests a month of a plan of 20000 (planRequests): if you deploy more than one, set UPSTREAM_MONTHLY_BUDGET of each to its part in infra/config.ts',
    ],
    [
      'lasts and has alarms that reach nobody',
      { alarmEmails: [] },
      ['hobby', 'prod'],
      'and its alarms reach nobody: set alarmEmails in infra/config.ts to addresses of those who run it',
    ],
    [
      'lasts and has mails that link to no pages of one’s own',
      { runbookUrl: stageConfig('prod').runbookUrl },
      ['hobby', 'prod'],
      'set runbookUrl in infra/config.ts to where your docs/oncall.md is',
    ],
  ])('that %s warns', (_what, changes, warning, text) => {
    for (const stage of [...stageNames, 'local'])
      expect(warnings(stage, changes), stage).toEqual(
        warning.includes(stage) ? [expect.stringContaining(text)] : [],
      );
  });

  test('may spend its part of a shared plan and no more', () => {
    const secretNames = { COINPAPRIKA_API_KEY: 'marketdata/provider-key' };
    const ofBudget = (stage: string, budget: string) => {
      const environment = { UPSTREAM_MONTHLY_BUDGET: budget };
      return { ...stageConfig(stage), environment, secretNames };
    };
    const stages = { dev: ofBudget('dev', '6000'), prod: ofBudget('prod', '14000') };

    expect(sharedKeyProblem('prod', { ...stageConfig('prod'), secretNames })).toBeUndefined();
    expect(sharedKeyProblem('dev', stages.dev, stages)).toBeUndefined();
    expect(sharedKeyProblem('dev', ofBudget('dev', '6001'), stages)).toMatch(
      /^Stages dev, prod ask the provider with the same key and together may spend 20001 /,
    );
  });

  test('is refused if its mails would link nowhere', () => {
    expect(() => stackOf('dev', { ...shared, runbookUrl: 'docs/oncall.md' })).toThrow(
      'runbookUrl="docs/oncall.md" must be an https:// URL: mails link to it',
    );
  });

  test('that does not exist is an error that names those that do', () => {
    expect(() => stageConfig('qa')).toThrow(
      'Unknown stage "qa": use -c stage=<name> with one of hobby, dev, prod',
    );
    expect(() => stageConfig('constructor')).toThrow('Unknown stage');
  });
});
