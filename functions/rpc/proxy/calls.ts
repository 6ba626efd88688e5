/** Limits for calls and for the history of fees, because a caller's parameters determine how long a node computes. */
import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { isRecord } from '../../../shared/platform/is-record.ts';
import { knownFields, quantityIn } from './known-fields.ts';

/** geth's own cap (`--rpc.gascap`); other nodes compute ten times as long, or without end. */
const MAX_GAS = 50_000_000n;
/** geth's limits for eth_feeHistory; other nodes collect any number of blocks. */
const MAX_FEE_BLOCKS = 1024n;
const MAX_PERCENTILES = 100;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

const CALL = [
  'from',
  'to',
  'gas',
  'value',
  'input',
  'data',
  'nonce',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'maxFeePerBlobGas',
  'blobVersionedHashes',
  'accessList',
  'authorizationList',
  'type',
  'chainId',
];
/** The allowed overrides of a block: not `number`, because eth_simulateV1 would make every block up to it. */
const BLOCK_OVERRIDES = ['time', 'gasLimit', 'feeRecipient', 'prevRandao', 'baseFeePerGas', 'blobBaseFee'];
const STATE = ['balance', 'nonce', 'state', 'stateDiff'];
/** Only eth_simulateV1 may replace code, because its calls are counted. */
const ACCOUNT = [...STATE, 'code', 'movePrecompileToAddress'];

/** The fields of a call. Throws 400 for any other, and for too much gas. */
function readCall(given: Record<string, unknown>, method: string): Record<string, unknown> {
  const call = knownFields(given, CALL, `a call of ${method}`);
  if (call.gas !== undefined) assertGas('gas', call.gas);
  return call;
}

/** The block fields that a call may override. Throws 400 for any other, and for too much gas. */
function readBlockOverrides(given: unknown, fields: readonly string[], method: string) {
  if (!isRecord(given)) throw invalidParameter('blockOverrides', given, 'an object');
  const overrides = knownFields(given, fields, `blockOverrides of ${method}`);
  if (overrides.gasLimit !== undefined) assertGas('gasLimit', overrides.gasLimit);
  return overrides;
}

function assertGas(name: string, gas: unknown): void {
  quantityIn(name, gas, MAX_GAS);
}

/** State overrides by address. Throws 400 for invalid ones, and for code where only state may be replaced. */
function readOverrides(given: unknown, method: string): Record<string, unknown> {
  if (!isRecord(given)) throw invalidParameter('stateOverrides', given, 'an object');
  const fields = method === 'eth_simulateV1' ? ACCOUNT : STATE;
  const accounts = Object.entries(given).map(([address, account]) => {
    if (!ADDRESS.test(address) || !isRecord(account)) {
      throw invalidParameter(
        'stateOverrides',
        { [address.slice(0, 80)]: account },
        'an object for each address',
      );
    }
    return [address, knownFields(account, fields, `stateOverrides of ${method}`)] as const;
  });
  return Object.fromEntries(accounts);
}

/** The params of a call: the call, a block, and overrides of state and block. The node rejects anything that is not a call. */
export function boundedCall(method: string, params: readonly unknown[]): readonly unknown[] {
  const readers = [
    (call: unknown) => (isRecord(call) ? readCall(call, method) : call),
    (block: unknown) => block,
    (state: unknown) => state && readOverrides(state, method),
    (block: unknown) => block && readBlockOverrides(block, ['number', ...BLOCK_OVERRIDES], method),
  ];
  if (params.length > readers.length) {
    throw invalidParameter(
      'params',
      params,
      `a call, a block, and overrides of state and block for ${method}`,
    );
  }
  return params.map((param, index) => readers[index]?.(param));
}

/** The number of blocks that viem's simulateCalls needs to report a transaction's changes of balances. */
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
  if (!isRecord(given) || block.length > 1) {
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
  if (Array.isArray(value) && value.every(isRecord)) return value;
  throw invalidParameter(name, value, 'a list of objects');
}

/** The params of eth_feeHistory: a number of blocks, the newest one, and percentiles of priority fees. */
export function boundedFeeHistory(params: readonly unknown[]): readonly unknown[] {
  const [count, newest, percentiles, ...more] = params;
  if (more.length > 0)
    throw invalidParameter('params', params, 'a number of blocks, a block and percentiles');
  quantityIn('blockCount', count, MAX_FEE_BLOCKS);
  if (percentiles === undefined || percentiles === null) return [count, newest];
  if (!Array.isArray(percentiles) || !percentiles.every(isPercentile)) {
    throw invalidParameter('percentiles', percentiles, 'a list of numbers from 0 to 100');
  }
  if (percentiles.length > MAX_PERCENTILES) {
    const given = `eth_feeHistory of ${percentiles.length} percentiles`;
    throw new ApiError(400, `${given}; allowed: at most ${MAX_PERCENTILES}`);
  }
  return [count, newest, percentiles];
}

function isPercentile(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 100;
}
