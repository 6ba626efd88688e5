import { NodeError } from '../../../shared/evm/node-error.ts';

/** For `catch` of a call that the faucet makes by itself: what a node refuses of it is no 400 of the caller. */
export function throwAsOurs(error: unknown): never {
  throw error instanceof NodeError ? error.asOurs() : error;
}
