import type { Hex } from 'viem';
import type { Address } from '../../../shared/evm/values.ts';
import type { UniswapNode } from '../deployments.ts';
import type { Path } from './paths.ts';
import { perNode } from './per-node.ts';
import { type PoolState, type PoolStates, stateOf, stateReads } from './pool-states.ts';
import { type Read, readAll, word } from './read-all.ts';
import { knownMetadata, type Metadata, metadataOf, metadataReads } from './token-metadata.ts';

export interface States {
  /** Of the pools that exist. */
  readonly pools: PoolStates;
  readonly metadata: ReadonlyMap<Address, Metadata>;
  /** SwapRouter02 was made with the factory of V2 whose pairs are asked for here. */
  readonly isOneRouter: boolean;
}

const FACTORY_V2 = '0x68e0d4e1'; // factoryV2()

/** By router: they never change. */
const v2FactoriesAt = perNode(() => new Map<Address, bigint>());

/** All that is read before anything is quoted, in one round: the pools, the tokens, and the router once. */
export async function readStates(
  node: UniswapNode,
  paths: readonly Path[],
  block: bigint,
  deadline: number,
): Promise<States> {
  const { uniswap } = node.chain;
  const hops = [...new Map(paths.flatMap((path) => path.hops).map((hop) => [hop.pool, hop])).values()];
  const tokens = [...new Set(hops.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))];
  const known = tokens.flatMap((token): [Address, Metadata][] => {
    const metadata = knownMetadata(node, token);
    return metadata ? [[token, metadata]] : [];
  });
  const metadata = new Map(known);
  const unknown = tokens.filter((token) => !metadata.has(token));
  const v2Factories = v2FactoriesAt(node);
  const factory: Read[] = v2Factories.has(uniswap.router) ? [] : [{ to: uniswap.router, data: FACTORY_V2 }];
  const groups = [factory, ...unknown.map(metadataReads), ...hops.map(stateReads)];

  const [[asked] = [], ...answers] = await readGroups(node, groups, block, deadline);
  if (asked) v2Factories.set(uniswap.router, word(asked, 0));
  for (const [index, token] of unknown.entries()) {
    metadata.set(token, metadataOf(node, token, answers[index] ?? []));
  }
  const states = hops.map((hop, index) => stateOf(hop, answers[unknown.length + index] ?? []));
  return {
    pools: new Map(
      states.flatMap((state): [Address, PoolState][] => (state ? [[state.hop.pool, state]] : [])),
    ),
    metadata,
    isOneRouter: v2Factories.get(uniswap.router) === BigInt(uniswap.v2.factory),
  };
}

/** What a token says of itself, at a block. */
export async function readMetadata(
  node: UniswapNode,
  token: Address,
  block: bigint,
  deadline: number,
): Promise<Metadata> {
  const known = knownMetadata(node, token);
  if (known) return known;
  const answers = await readAll(node, node.chain.uniswap.multicall, metadataReads(token), block, deadline);
  return metadataOf(node, token, answers);
}

/** The answers in groups as the reads are. */
async function readGroups(
  node: UniswapNode,
  groups: readonly (readonly Read[])[],
  block: bigint,
  deadline: number,
): Promise<(Hex | undefined)[][]> {
  const answers = await readAll(node, node.chain.uniswap.multicall, groups.flat(), block, deadline);
  let start = 0;
  return groups.map(({ length }) => {
    const end = start + length;
    const group = answers.slice(start, end);
    start = end;
    return group;
  });
}
