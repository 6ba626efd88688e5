import { describe, expect, test } from 'vitest';
import { domains } from '../../functions/domains.ts';
import { routes } from '../../functions/routes.ts';
import { stageConfig, stageNames } from '../../infra/config.ts';
import { countNames, valueUnits } from '../../shared/platform/metrics.ts';
import { templateOf } from './synthesized.ts';

/** The widgets' definition as text; what only a deployment knows stands there as its reference. */
function dashboardOf(stage: string): string {
  const [dashboard] = Object.values(templateOf(stage).findResources('AWS::CloudWatch::Dashboard'));
  const parts: unknown[] = dashboard?.Properties.DashboardBody['Fn::Join'][1];
  return parts
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part).replaceAll('"', '')))
    .join('');
}

describe.each(stageNames.filter((stage) => stageConfig(stage).dashboard))(
  'the dashboard of stage %s',
  (stage) => {
    const text = dashboardOf(stage);
    const { widgets } = JSON.parse(text) as {
      widgets: {
        type: string;
        width: number;
        x: number;
        properties: { markdown?: string; metrics?: unknown };
      }[];
    };

    test('it answers the four questions', () => {
      expect(widgets.flatMap(({ properties }) => properties.markdown ?? [])).toEqual([
        '## Is it serving?',
        '## Is it fast?',
        '## Is the data fresh?',
        '## How much quota is left, and will it last?',
      ]);
    });

    test('it shows every metric that the functions print', () => {
      const brought = domains.flatMap(({ counts = [] }) => counts);
      for (const name of [...countNames, ...brought, ...Object.keys(valueUnits), 'Requests'])
        expect(text, `${name} is on no graph`).toContain(`"marketdata-${stage}","${name}"`);
    });

    test('it shows what the distribution counts, which only us-east-1 knows', () => {
      for (const name of ['Requests', '4xxErrorRate', '5xxErrorRate'])
        expect(text).toMatch(
          new RegExp(
            `"AWS/CloudFront","${name}","DistributionId","[^"]+","Region","Global",\\{[^}]*"region":"us-east-1"`,
          ),
        );
    });

    test('it shows p50 and p99 of every route', () => {
      for (const { name } of routes) {
        for (const statistic of ['p50', 'p99'])
          expect(text).toContain(`"label":"${name}","stat":"${statistic}"`);
      }
    });

    test('every widget fits into the page', () => {
      for (const { x, width } of widgets) expect(x + width).toBeLessThanOrEqual(24);
    });
  },
);
