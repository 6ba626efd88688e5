/** Objects in memory that keep every version, as a versioned bucket does. */
import type { ObjectVersion } from '../local/object-folder.ts';

export class VersionedObjects extends Map<string, Buffer> {
  readonly #versions = new Map<string, Omit<ObjectVersion, 'path' | 'isLatest'>[]>();
  #count = 0;

  override set(path: string, content: Buffer): this {
    this.#note(path, content);
    return super.set(path, content);
  }

  override delete(path: string): boolean {
    this.#note(path, undefined);
    return super.delete(path);
  }

  /** The versions by name, the newest of each first. */
  *versions(beginning: string): Iterable<ObjectVersion> {
    for (const path of [...this.#versions.keys()].sort()) {
      if (!path.startsWith(beginning)) continue;
      const all = this.#versions.get(path) ?? [];
      for (const [index, version] of all.entries()) yield { path, isLatest: index === 0, ...version };
    }
  }

  #note(path: string, content: Buffer | undefined): void {
    const all = this.#versions.get(path) ?? [];
    this.#versions.set(path, all);
    this.#count += 1;
    all.unshift({ id: `version-${this.#count}`, at: Date.now(), content: content && Buffer.from(content) });
  }
}
