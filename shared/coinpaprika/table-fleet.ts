import type { Environment } from '../environment.ts';
import { createFleet, type Fleet } from '../fleet/fleet.ts';
import type { Observe } from '../fleet/observer.ts';
import { errorCodec } from './error-codec.ts';

/** The fleet that shares a DynamoDB table: one chunk, loaded where there is a table. */
export function tableFleet(tableName: string, environment: Environment, observe: Observe): Fleet {
  return createFleet(tableName, environment, errorCodec, observe);
}
