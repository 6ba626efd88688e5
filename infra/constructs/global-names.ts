import { type CfnResource, type IAspect, Names, Stack } from 'aws-cdk-lib';
import {
  CfnFunction,
  CfnKeyValueStore,
  CfnOriginAccessControl,
  CfnOriginRequestPolicy,
  CfnResponseHeadersPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import type { IConstruct } from 'constructs';

/** With a dash before it, the longest that AWS has, with room for another. */
const REGION_LENGTH = 17;

/**
 * CloudFront has one list of names for an account, whatever the region, and the CDK ends only those of cache policies
 * with it. With it in all of them a stage may stand in two regions of one account.
 */
export class GlobalNames implements IAspect {
  visit(node: IConstruct): void {
    if (node instanceof CfnFunction || node instanceof CfnKeyValueStore) endWithRegion(node, 'Name', 64);
    if (node instanceof CfnOriginAccessControl) endWithRegion(node, 'OriginAccessControlConfig.Name', 64);
    if (node instanceof CfnOriginRequestPolicy) endWithRegion(node, 'OriginRequestPolicyConfig.Name', 128);
    if (node instanceof CfnResponseHeadersPolicy)
      endWithRegion(node, 'ResponseHeadersPolicyConfig.Name', 128);
  }
}

function endWithRegion(resource: CfnResource, property: string, maxLength: number): void {
  const name = Names.uniqueResourceName(resource, { maxLength: maxLength - REGION_LENGTH });
  resource.addPropertyOverride(property, `${name}-${Stack.of(resource).region}`);
}
