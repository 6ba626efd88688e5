import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { edgeConfigOf, pageTemplateOf, templateOf } from './synthesized.ts';

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, { readonly Name?: unknown } | undefined>>;
}

const resourcesOf = (template: Template): Resource[] => Object.values(template.toJSON().Resources);

/** Of everything that an account has by name once, and not once in each region. */
function globalNamesOf(resources: readonly Resource[]): unknown[] {
  return resources.flatMap(({ Type, Properties }) => {
    if (Type === 'AWS::CloudWatch::Dashboard') return Properties.DashboardName;
    if (!/^AWS::CloudFront::(?!Distribution$)/.test(Type)) return [];
    // A function has its name beside its configuration, all others have it inside.
    return Properties.Name ?? Object.values(Properties).map((config) => config?.Name);
  });
}

function ofRegion(region: string | undefined): Resource[] {
  const changes = { region, edge: { ...edgeConfigOf('prod'), firewall: false } } as const;
  return [templateOf('prod', changes), pageTemplateOf('prod', changes)].flatMap(resourcesOf);
}

describe('names that an account has once for all regions', () => {
  const here = globalNamesOf(ofRegion('us-east-1'));
  const there = globalNamesOf(ofRegion('eu-central-1'));

  test('are other ones in another region', () => {
    expect(here.length).toBeGreaterThan(6);
    expect(here.filter((name) => there.includes(name))).toEqual([]);
    expect(new Set(here).size).toBe(here.length);
  });

  test('are as short as CloudFront asks for, also in the region with the longest name', () => {
    const longest = ofRegion('ap-southeast-12');
    const access = longest.filter(({ Type }) =>
      [
        'AWS::CloudFront::OriginAccessControl',
        'AWS::CloudFront::Function',
        'AWS::CloudFront::KeyValueStore',
      ].includes(Type),
    );

    expect(access).toHaveLength(3);
    for (const name of globalNamesOf(access)) expect(name).toMatch(/^[\w-]{1,64}$/);
    for (const name of globalNamesOf(longest)) expect(name).toMatch(/^[\w-]{1,128}$/);
  });

  test('end with the region that the deployment knows if the stage names none', () => {
    for (const name of globalNamesOf(ofRegion(undefined)))
      expect(JSON.stringify(name)).toContain('{"Ref":"AWS::Region"}');
  });

  test('are left to CloudFormation for buckets and roles', () => {
    for (const { Properties } of ofRegion('us-east-1')) {
      expect(Properties).not.toHaveProperty('BucketName', expect.any(String));
      expect(Properties).not.toHaveProperty('RoleName');
    }
  });
});
