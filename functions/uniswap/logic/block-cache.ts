import type { Block } from '../../../shared/evm/node.ts';

const MAX_ENTRIES = 500;
/** Nodes behind one address may be a block apart, or take two blocks of one height for the newest. */
const MAX_BLOCKS = 2;

interface Kept<T> {
  readonly block: Block;
  readonly values: Map<string, Promise<T>>;
}

/** Values of the two newest blocks of a node, at most 500 for each; equal requests share one load. */
export class BlockCache<T> {
  #kept: readonly Kept<T>[] = [];

  /** The value for the key at the block, from here or from `load`, whose failures are not kept. */
  get(block: Block, key: string, load: () => Promise<T>): Promise<T> {
    const values = this.#valuesOf(block);
    const known = values?.get(key);
    if (known) return known;
    const loading = load();
    if (!values || values.size >= MAX_ENTRIES) return loading;
    values.set(key, loading);
    loading.catch(() => values.delete(key));
    return loading;
  }

  /** Undefined if the block is older than those that are kept: it is not worth its place. */
  #valuesOf(block: Block): Map<string, Promise<T>> | undefined {
    const known = this.#kept.find(({ block: { hash } }) => hash === block.hash);
    if (known) return known.values;
    const entry: Kept<T> = { block, values: new Map() };
    // The latest comes first among those of one height.
    this.#kept = [entry, ...this.#kept]
      .sort((a, b) => Number(b.block.number - a.block.number))
      .slice(0, MAX_BLOCKS);
    return this.#kept.includes(entry) ? entry.values : undefined;
  }
}
