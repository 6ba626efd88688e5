import { createFleet, type Fleet } from '../../coordination/fleet.ts';
import type { Observe } from '../../coordination/observer.ts';
import type { Environment } from '../../platform/environment.ts';
import { errorCodec } from './error-codec.ts';

/** The fleet that shares a DynamoDB table: one chunk, loaded where there is a table. */
export function tableFleet(tableName: string, environment: Environment, observe: Observe): Fleet {
  return createFleet(tableName, environment, errorCodec, observe);
}
