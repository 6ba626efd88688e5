import { expect, test } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { stageNames } from '../../infra/config.ts';
import { templateOf } from './synthesized.ts';

const job = jobs.find(({ name }) => name === 'marketdata/export');

test.each(stageNames)(
  'stage %s has nothing of the monthly export unless its configuration turns it on',
  (stage) => {
    expect(JSON.stringify(templateOf(stage))).not.toContain('EXPORTS_BUCKET');
    expect(JSON.stringify(templateOf(stage))).not.toContain(job?.summary);
  },
);

test('a stage that turns it on runs it every 30 days', () => {
  const template = templateOf('dev', { monthlyExport: true });
  template.hasResourceProperties('AWS::Scheduler::Schedule', {
    Description: job?.summary,
    ScheduleExpression: 'rate(30 days)',
  });
  template.hasResourceProperties('AWS::Lambda::Function', {
    Description: job?.summary,
    MemorySize: 2048,
    Timeout: 900,
  });
});
