import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toQuantity } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { nodeAt, respondRpc, soon } from '../../../test/evm/node.ts';
import { startLoopback } from '../../../test/pipeline/loopback.ts';
import {
  countsTaken,
  deaf,
  type FaucetBench,
  GRANT,
  mineAgain,
  mineByHand,
  newAddress,
  readStatus,
  received,
  request,
  useBench,
  useKeyElsewhere,
} from '../fixtures/faucet.testing.ts';
import { MAX_UNMINED, send } from './transfer.ts';

const WAITS = {
  statusCode: 503,
  message: 'The local faucet waits for its transfers to be mined; try again later',
};
const TEN_MINUTES = 600_000;

let bench: FaucetBench;
let before = 0;
useBench((opened) => {
  bench = opened;
});
beforeEach(async () => {
  await mineByHand(bench);
  before = await bench.mined();
  countsTaken();
});
afterEach(async () => {
  vi.useRealTimers();
  await mineAgain(bench);
});

const mine = (blocks = 1) => bench.chain.rpc('anvil_mine', [`0x${blocks.toString(16)}`]);
const later = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });

describe('a transfer that the node lost', () => {
  it.each([
    ['never received', undefined],
    ['could not receive', new ApiError(502, 'The local node is unreachable')],
  ])('or %s is sent before the next grant', async (_case, error) => {
    const [lost, next] = [newAddress(), newAddress()];
    await request(deaf(bench.instance(), error), lost);
    expect(await bench.known()).toBe(before);

    await request(bench.instance(), next);
    await mine();

    for (const address of [lost, next]) expect(await received(bench, address)).toBe(GRANT);
    expect(await bench.mined()).toBe(before + 2);
  });

  it('is sent when its status is read, once', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const granted = await request(deaf(faucet), address);

    expect(await readStatus(faucet, granted.requestId)).toEqual({ ...granted, confirmations: 0 });
    expect(await readStatus(faucet, granted.requestId)).toEqual({ ...granted, confirmations: 0 });
    await mine();

    expect(await readStatus(faucet, granted.requestId)).toEqual({
      ...granted,
      status: 'confirmed',
      confirmations: 1,
    });
    expect(await received(bench, address)).toBe(GRANT);
    expect(await bench.mined()).toBe(before + 1);
  });
});

it('a transfer is mined even if gas becomes five times as expensive', async () => {
  const address = newAddress();
  await request(bench.instance(), address);
  const price = BigInt((await bench.chain.rpc('eth_gasPrice')) as string); // as specified

  await bench.chain.rpc('anvil_setNextBlockBaseFeePerGas', [toQuantity(price * 5n)]);
  await mine();

  expect(await received(bench, address)).toBe(GRANT);
});

describe('a transfer that is not mined', () => {
  it('for ten minutes raises the alarm and stops the faucet until it is mined', async () => {
    const [stuck, next, faucet] = [newAddress(), newAddress(), bench.instance()];
    const { requestId } = await request(faucet, stuck);
    later(TEN_MINUTES - 5_000);
    await readStatus(faucet, requestId);
    expect(countsTaken()).toEqual({ FaucetGranted: 1 });

    later(10_000);
    expect(await readStatus(faucet, requestId)).toMatchObject({ status: 'pending' });
    await expect(request(faucet, next)).rejects.toMatchObject(WAITS);
    expect(countsTaken()).toEqual({ FaucetStuck: 2 });
    await mine();
    await request(faucet, next);
    await mine();

    for (const address of [stuck, next]) expect(await received(bench, address)).toBe(GRANT);
  });

  it('because the node rejects its fee does the same at once', async () => {
    const node = await startLoopback(
      respondRpc(() => ({ error: { code: -32_000, message: 'transaction underpriced' } })),
    );
    const faucet = bench.instance();
    const refused = { ...faucet, node: { ...faucet.node, rpc: nodeAt(node.url).rpc } };
    await request(deaf(faucet), newAddress());

    await expect(request(refused, newAddress())).rejects.toMatchObject(WAITS);
    await node.close();

    expect(countsTaken()).toEqual({ FaucetGranted: 1, FaucetStuck: 1 });
    await request(faucet, newAddress());
    expect(await bench.known()).toBe(before + 2);
  });

  it(`stops the faucet if it is one of ${MAX_UNMINED}, without an alarm`, async () => {
    for (let count = 0; count < MAX_UNMINED; count += 1) await request(bench.instance(), newAddress());
    const next = newAddress();

    await expect(request(bench.instance(), next)).rejects.toMatchObject(WAITS);
    expect(countsTaken()).toEqual({ FaucetGranted: MAX_UNMINED });
    await mine();
    await request(bench.instance(), next);
  });
});

it('a transfer whose nonce another transaction used is pending until that is final, then failed, and the faucet continues', async () => {
  const [address, next, faucet] = [newAddress(), newAddress(), bench.instance()];
  const granted = await request(deaf(faucet), address);
  await useKeyElsewhere(bench);
  await mine();
  countsTaken();

  const early = await readStatus(faucet, granted.requestId);
  await request(faucet, next);
  await mine();
  await mine(80);
  const late = await readStatus(faucet, granted.requestId);

  expect(early).toEqual({ ...granted, confirmations: 0 });
  expect(late).toEqual({ ...granted, status: 'failed', confirmations: 0 });
  expect(countsTaken()).toEqual({ FaucetGranted: 1, FaucetNonceLost: 1 });
  expect(await received(bench, address)).toBe(0n);
  expect(await received(bench, next)).toBe(GRANT);
});

it.each([
  ['already known', true],
  ['nonce too low', true],
  ['replacement transaction underpriced', false],
])('a transfer that the node answers with "%s" counts as sent: %s', async (message, isSent) => {
  const node = await startLoopback(respondRpc(() => ({ error: { code: -32_000, message } })));

  expect(await send(nodeAt(node.url), '0x', soon())).toBe(isSent);
  await node.close();
});
