import type { Hex } from 'viem';
import type { Node } from '../../../shared/evm/node.ts';
import type { Address } from '../../../shared/evm/values.ts';
import { readOne, word } from './read-all.ts';

/** What a contract answers now; undefined if it reverts, or if there is none. Throws node failures. */
export async function readLatest(
  node: Node,
  to: Address,
  data: Hex,
  deadline: number,
): Promise<Hex | undefined> {
  const answer = await readOne(node, { to, data }, 'latest', deadline);
  return answer === '0x' ? undefined : answer;
}

/** The same as a number. */
export async function readNumber(
  node: Node,
  to: Address,
  data: Hex,
  deadline: number,
): Promise<bigint | undefined> {
  const answer = await readLatest(node, to, data, deadline);
  return answer && word(answer, 0);
}
