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

    test('it has no more graphs than one looks at on call, and no metric that nobody prints', () => {
      const graphs = widgets.filter(({ type }) => type === 'metric');
      const printed = [
        ...countNames,
        ...domains.flatMap(({ counts = [] }) => counts),
        ...Object.keys(valueUnits),
      ];
      const shown = [...text.matchAll(new RegExp(`"marketdata-${stage}","(\\w+)"`, 'g'))].map(
        ([, name]) => name,
      );

      expect(graphs.length).toBeLessThanOrEqual(22);
      expect(shown.length).toBeGreaterThan(30);
      expect(shown.filter((name = '') => ![...printed, 'Requests'].includes(name))).toEqual([]);
    });

    test('it shows what every alarm of a domain looks at', () => {
      const sums = domains.flatMap(({ alarms = [] }) =>
        alarms.map(({ metric }) => ('sumOf' in metric ? metric.sumOf : '')),
      );
      for (const name of sums.filter(Boolean)) expect(text, name).toContain(`"${name}"`);
    });

    test('it shows what the distribution counts, which only us-east-1 knows', () => {
      for (const name of ['Requests', '4xxErrorRate', '5xxErrorRate'])
        expect(text).toMatch(
          new RegExp(
            `"AWS/CloudFront","${name}","DistributionId","[^"]+","Region","Global",\\{[^}]*"region":"us-east-1"`,
          ),
        );
    });

    test('it shows p99 and the failures of every route', () => {
      for (const { name } of routes) {
        expect(text).toContain(`"label":"${name}","stat":"p99"`);
        expect(text).toContain(`"route","${name}","status","5xx"`);
      }
    });

    test('every widget fits into the page', () => {
      for (const { x, width } of widgets) expect(x + width).toBeLessThanOrEqual(24);
    });
  },
);
