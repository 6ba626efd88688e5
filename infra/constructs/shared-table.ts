import type { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { KEYS_OWNER } from '../../shared/http/named-keys.ts';
import { EXPIRY_ATTRIBUTE, KEY_ATTRIBUTE, rowKey } from '../../shared/platform/table.ts';

/** The table that all instances share: budget, leases, pace, pauses and clients' keys. */
export class SharedTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { removalPolicy }: { readonly removalPolicy: RemovalPolicy }) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: KEY_ATTRIBUTE, type: AttributeType.STRING },
      billing: Billing.onDemand(),
      timeToLiveAttribute: EXPIRY_ATTRIBUTE,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // No deletionProtection: with it, CloudFormation could not undo a failed first deployment. DynamoDB keeps a backup of a deleted
      // table for 35 days.
      removalPolicy,
    });
  }

  /** Gives the function the table's name and read access to the row of clients' keys. */
  shareKeys(handler: LambdaFunction): void {
    handler.addEnvironment('KEYS_TABLE', this.table.tableName);
    Grant.addToPrincipal({
      grantee: handler,
      actions: ['dynamodb:GetItem'],
      resourceArns: [this.table.tableArn],
      conditions: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [rowKey(KEYS_OWNER, '*')] },
      },
    });
  }

  /** Gives the function the table's name and access to the rows of these owners. */
  share(handler: LambdaFunction, owners: readonly string[]): void {
    handler.addEnvironment('SHARED_TABLE', this.table.tableName);
    Grant.addToPrincipal({
      grantee: handler,
      actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem'],
      resourceArns: [this.table.tableArn],
      conditions: {
        // Every key of a request must match one of these (DynamoDB Developer Guide, "IAM policy conditions").
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': owners.map((owner) => rowKey(owner, '*')) },
      },
    });
  }
}
