import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { stageConfig } from '../../infra/config.ts';
import { MarketDataStack } from '../../infra/stack.ts';
import { pageHeaders } from '../../shared/http/page.ts';
import {
  edgeStages,
  newApp,
  pageTemplateOf,
  placeholderBundles,
  placeholderRegistry,
  stackOf,
} from './synthesized.ts';

const template = pageTemplateOf('prod');

describe('the web page', () => {
  test('is served from a bucket that only CloudFront can read', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Action: 's3:GetObject',
            Principal: { Service: 'cloudfront.amazonaws.com' },
          }),
        ]),
      },
    });
  });

  test('is at the address itself, over HTTPS only', () => {
    const [distribution] = Object.values(template.findResources('AWS::CloudFront::Distribution'));
    const { DefaultRootObject, DefaultCacheBehavior } = distribution?.Properties.DistributionConfig ?? {};

    expect(DefaultRootObject).toBe('index.html');
    expect(DefaultCacheBehavior.ViewerProtocolPolicy).toBe('redirect-to-https');
  });

  test('comes with the headers that the local service sends', () => {
    template.hasResourceProperties('AWS::CloudFront::ResponseHeadersPolicy', {
      ResponseHeadersPolicyConfig: {
        SecurityHeadersConfig: {
          ContentSecurityPolicy: {
            ContentSecurityPolicy: pageHeaders['content-security-policy'],
            Override: true,
          },
          ContentTypeOptions: { Override: true },
          ReferrerPolicy: { ReferrerPolicy: pageHeaders['referrer-policy'], Override: true },
          StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, Override: true },
        },
        CustomHeadersConfig: {
          Items: [
            {
              Header: 'cross-origin-opener-policy',
              Value: pageHeaders['cross-origin-opener-policy'],
              Override: true,
            },
          ],
        },
      },
    });
  });

  test('is uploaded after the files that it names, which may be kept for ever', () => {
    const uploads = Object.entries(template.findResources('Custom::CDKBucketDeployment'));
    const [assets] = uploads.filter(([, { Properties }]) => !Properties.DistributionId);
    const [page] = uploads.filter(([, { Properties }]) => Properties.DistributionId);

    expect(uploads).toHaveLength(2);
    expect(assets?.[1].Properties).toMatchObject({
      DestinationBucketKeyPrefix: 'assets',
      SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
      Prune: false,
    });
    expect(page?.[1].Properties).toMatchObject({
      SystemMetadata: { 'cache-control': 'no-cache' },
      // What the API answered stays cached.
      DistributionPaths: ['/', '/index.html'],
    });
    expect(page?.[1].DependsOn).toContain(assets?.[0]);
  });

  test('is uploaded whole', () => {
    const app = newApp();
    stackOf('dev', {}, app);
    const uploads = Object.values(pageTemplateOf('dev').findResources('Custom::CDKBucketDeployment'));
    const { directory } = app.synth();
    const files = uploads.flatMap(({ Properties }) => {
      const [asset] = Properties.SourceObjectKeys as string[];
      return readdirSync(join(directory, `asset.${asset?.replace('.zip', '')}`));
    });
    expect(files.sort()).toEqual(['index-abc.js', 'index.html']);
  });

  test.each(edgeStages)('of stage %s goes with its stack, files and all', (stage) => {
    const page = pageTemplateOf(stage);
    page.hasResource('AWS::S3::Bucket', { DeletionPolicy: 'Delete' });
    page.resourceCountIs('Custom::S3AutoDeleteObjects', 1);
  });

  test('that is not built is an error that says how to build it', () => {
    const build = () =>
      new MarketDataStack(newApp(), 'marketdata-dev', {
        stage: 'dev',
        config: stageConfig('dev'),
        functionsFolder: placeholderBundles,
        registryFolder: placeholderRegistry,
        pageFolder: join(import.meta.dirname, 'nothing-here'),
      });
    expect(build).toThrow(/No web page in .*nothing-here: run npm run build first/);
  });
});
