import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { BLOCK_OVERRIDES, readBlockOverrides, readCall, readOverrides } from './calls.ts';
import { isObject, knownFields } from './known-fields.ts';

/** As many as viem's simulateCalls needs to report a transaction's changes of balances. */
const MAX_BLOCKS = 8;
const MAX_CALLS = 32;

const SIMULATION = ['blockStateCalls', 'traceTransfers', 'validation', 'returnFullTransactions'];
const BLOCK = ['blockOverrides', 'stateOverrides', 'calls'];

/**
 * The params of eth_simulateV1, rebuilt from its own fields so that nothing else reaches the node. Throws 400 for any other
 * field, and for too many blocks or calls.
 */
export function boundedSimulation(params: readonly unknown[]): readonly unknown[] {
  const [given, ...block] = params;
  if (!isObject(given) || block.length > 1) {
    throw invalidParameter('params', params, 'a simulation and a block for eth_simulateV1');
  }
  const simulation = knownFields(given, SIMULATION, 'the simulation of eth_simulateV1');
  const blocks = objectsOf('blockStateCalls', simulation.blockStateCalls);
  assertAtMost(MAX_BLOCKS, blocks.length, 'blocks');
  const blockStateCalls = blocks.map(readBlock);
  assertAtMost(
    MAX_CALLS,
    blockStateCalls.reduce((sum, { calls }) => sum + calls.length, 0),
    'calls',
  );
  return [{ ...simulation, blockStateCalls }, ...block];
}

function assertAtMost(most: number, given: number, what: string): void {
  if (given > most) throw new ApiError(400, `eth_simulateV1 of ${given} ${what}; allowed: at most ${most}`);
}

function readBlock(given: Record<string, unknown>) {
  const block = knownFields(given, BLOCK, 'a block of eth_simulateV1');
  const { blockOverrides = {}, stateOverrides = {}, calls = [] } = block;
  return {
    blockOverrides: readBlockOverrides(blockOverrides, BLOCK_OVERRIDES, 'eth_simulateV1'),
    stateOverrides: readOverrides(stateOverrides, 'eth_simulateV1'),
    calls: objectsOf('calls', calls).map((call) => readCall(call, 'eth_simulateV1')),
  };
}

function objectsOf(name: string, value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw invalidParameter(name, value, 'a list of objects');
}
