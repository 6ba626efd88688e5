import type { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { EXPIRY_ATTRIBUTE, KEY_ATTRIBUTE } from '../../shared/coordination/table.ts';

/** The one table that all instances share: the upstream budget, the provider's answers with their leases. */
export class SharedTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { removalPolicy }: { readonly removalPolicy: RemovalPolicy }) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: KEY_ATTRIBUTE, type: AttributeType.STRING },
      billing: Billing.onDemand(),
      timeToLiveAttribute: EXPIRY_ATTRIBUTE,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // No deletionProtection: with it, CloudFormation could not take back a first deployment that failed. Of a table
      // that somebody deletes, DynamoDB keeps a backup for 35 days.
      removalPolicy,
    });
  }

  /** Tells the function the table's name, and lets it look up rows and change one. */
  share(handler: LambdaFunction): void {
    handler.addEnvironment('SHARED_TABLE', this.table.tableName);
    this.table.grant(handler, 'dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem');
  }
}
