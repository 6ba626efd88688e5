import { randomBytes } from 'node:crypto';
import { encodeFunctionData, getAddress } from 'viem/utils';
import type { StateOverrides } from '../../../shared/evm/node.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import type { Address } from '../../../shared/evm/values.ts';
import { putBounded } from '../../../shared/platform/bounded-map.ts';
import { taxProbeAbi, taxProbeCode } from '../contracts/tax-probe.ts';
import type { UniswapNode } from '../deployments.ts';
import { perNode } from './per-node.ts';
import type { PoolState } from './pool-states.ts';
import { type Read, readAll, word } from './read-all.ts';

/** What arrived of a transfer, in base units. */
export interface Transfer {
  readonly sent: bigint;
  readonly arrived: bigint;
}

/** A token's transfers out of a pool and into one; undefined if the token did not let itself be measured. */
export interface Taxes {
  readonly buy: Transfer | undefined;
  readonly sell: Transfer | undefined;
}

export const noTaxes: Taxes = { buy: undefined, sell: undefined };

const PROBE_GAS = 3_000_000n;
const REFUSED = 2n ** 256n - 1n;
/** Fewer, and a rate of some percent drowns in the rounding. */
const MIN_AMOUNT = 1_000_000n;
const BPS = 10_000n;

const KEPT_MS = 5 * 60_000;
const MAX_ENTRIES = 1_000;
const cacheAt = perNode(() => new Map<Address, { readonly taxes: Taxes; readonly until: number }>());

interface Probed {
  readonly token: Address;
  /** Those that may lend the token. */
  readonly pools: readonly PoolState[];
  /** About what the trade moves, if that is known. */
  readonly amount?: bigint;
}

/**
 * What tokens keep of transfers, measured by a contract of ours (contracts/TaxProbe.sol) that exists in this one call
 * only. Kept for five minutes. A token that cannot be measured, or on a node that takes no other state, has `noTaxes`.
 */
export async function taxesOf(
  node: UniswapNode,
  probed: readonly Probed[],
  block: bigint,
  deadline: number,
): Promise<ReadonlyMap<Address, Taxes>> {
  const now = Date.now();
  const cache = cacheAt(node);
  const unknown = probed.filter(({ token }) => (cache.get(token)?.until ?? 0) <= now);
  const measured = await measure(node, unknown, block, deadline);
  const known = ({ token }: Probed) => measured.get(token) ?? cache.get(token)?.taxes ?? noTaxes;
  const taxesByToken = new Map(probed.map((each) => [each.token, known(each)]));
  for (const [token, taxes] of measured) {
    putBounded(cache, token, { taxes, until: now + KEPT_MS }, MAX_ENTRIES);
  }
  return taxesByToken;
}

async function measure(
  node: UniswapNode,
  probed: readonly Probed[],
  block: bigint,
  deadline: number,
): Promise<ReadonlyMap<Address, Taxes>> {
  const cases = probed.flatMap(({ pools, ...rest }) => {
    const pool = lender(rest.token, pools);
    return pool ? [{ ...rest, pool }] : [];
  });
  if (cases.length === 0) return new Map();
  // Nobody can have sent anything to an address that nobody knew.
  const probe = getAddress(`0x${randomBytes(20).toString('hex')}`);
  const reads = cases.map(({ token, pool, amount }): Read => {
    const args = [token, pool.hop.pool, pool.hop.type === 'v3', amountToMove(token, pool, amount)] as const;
    return {
      to: probe,
      data: encodeFunctionData({ abi: taxProbeAbi, functionName: 'measure', args }),
      gas: PROBE_GAS,
    };
  });
  const overrides: StateOverrides = { [probe]: { code: taxProbeCode } };
  try {
    const { multicall } = node.chain.uniswap;
    const answers = await readAll(node, multicall, reads, block, deadline, overrides);
    return new Map(
      cases.map(({ token }, index) => {
        const answer = answers[index];
        if (!answer) return [token, noTaxes];
        const [sent, bought, sold] = [word(answer, 0), word(answer, 1), word(answer, 2)];
        const sell =
          sold === REFUSED || bought === 0n ? undefined : { sent: bought, arrived: least(bought, sold) };
        return [token, { buy: { sent, arrived: least(sent, bought) }, sell }];
      }),
    );
  } catch (error) {
    if (!(error instanceof NodeError) || error.kind === 'unknown-block') throw error;
    if (error.isOutage) return new Map(); // asked again by the next quote
    return new Map(cases.map(({ token }) => [token, noTaxes]));
  }
}

/** Shares may arrive as a unit more than what was sent; that is nothing to count on. */
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** The deepest pair of V2, which lends in any case, else the deepest pool of V3, which does so while it trades. */
function lender(token: Address, pools: readonly PoolState[]): PoolState | undefined {
  const deepest = pools
    .filter(({ isActive }) => isActive)
    .toSorted((a, b) => (heldBy(a, token) < heldBy(b, token) ? 1 : -1));
  return deepest.find(({ hop }) => hop.type === 'v2') ?? deepest[0];
}

function heldBy({ hop, reserveIn, reserveOut }: PoolState, token: Address): bigint {
  return hop.tokenIn === token ? reserveIn : reserveOut;
}

/** As the trade moves it, but not much of what is in the pool: many tokens refuse to be moved in great numbers. */
function amountToMove(token: Address, pool: PoolState, amount: bigint | undefined): bigint {
  const held = heldBy(pool, token);
  const wanted = least(amount ?? held / 1000n, held / 100n);
  return wanted > MIN_AMOUNT ? wanted : MIN_AMOUNT;
}

/** True if not all that is sent arrives, be it a tax or a unit lost in rounding. */
export function keepsSome(transfer: Transfer | undefined): boolean {
  return transfer !== undefined && transfer.arrived < transfer.sent;
}

/** Hundredths of a percent; 0 of a token that loses a unit or two in rounding, as shares do. */
export function taxBps(transfer: Transfer | undefined): number | null {
  if (!transfer || transfer.sent === 0n) return null;
  const lost = transfer.sent - transfer.arrived;
  return lost <= 2n ? 0 : Number((lost * BPS + transfer.sent / 2n) / transfer.sent);
}

/** What arrives of an amount, if it goes as with the measured transfer. */
export function arriving(transfer: Transfer | undefined, amount: bigint): bigint {
  const bps = taxBps(transfer);
  if (!transfer || bps === null) return amount;
  const { sent, arrived } = transfer;
  const lost = sent - arrived;
  if (bps === 0) return amount > lost ? amount - lost : 0n;
  // A rate of whole hundredths of a percent, as most tokens have it, is known better than the measured amounts say.
  const isWhole = lost === (sent * BigInt(bps)) / BPS;
  return isWhole ? amount - (amount * BigInt(bps)) / BPS : (amount * arrived) / sent;
}
