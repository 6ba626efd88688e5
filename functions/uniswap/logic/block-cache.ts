const MAX_ENTRIES = 500;

/** Values of the newest block, at most 500 for each chain; equal requests share one load. */
export class BlockCache<T> {
  readonly #chains = new Map<string, { readonly block: bigint; readonly values: Map<string, Promise<T>> }>();

  /** The value for the key at the block, from here or from `load`, whose failures are not kept. */
  get(chain: string, block: bigint, key: string, load: () => Promise<T>): Promise<T> {
    let kept = this.#chains.get(chain);
    // Nodes behind one address may be a block apart: an older block than the kept one is not worth its place.
    if (kept && block < kept.block) return load();
    if (kept?.block !== block) {
      kept = { block, values: new Map() };
      this.#chains.set(chain, kept);
    }
    const { values } = kept;
    const known = values.get(key);
    if (known) return known;
    const loading = load();
    if (values.size < MAX_ENTRIES) values.set(key, loading);
    loading.catch(() => values.delete(key));
    return loading;
  }
}
