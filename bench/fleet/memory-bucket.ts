/** An S3 bucket in memory, with its ETags, conditions and ranges: six weeks of puts over HTTP would take hours. */
import type { HistoryBucket } from '../../functions/marketdata/jobs/history-store.ts';
import type { StoredObject } from '../../shared/platform/objects.ts';
import { ConditionFailed } from '../../shared/platform/publish-object.ts';

export interface MemoryBucket extends HistoryBucket {
  readonly calls: { gets: number; puts: number; lists: number };
  readonly stored: ReadonlyMap<string, StoredObject>;
}

/** Every call passes `reach` first, which takes its time and may throw. */
export function memoryBucket(reach: () => Promise<void>): MemoryBucket {
  const stored = new Map<string, StoredObject>();
  const calls = { gets: 0, puts: 0, lists: 0 };
  let version = 0;

  async function get(name: string): Promise<StoredObject> {
    calls.gets += 1;
    await reach();
    const object = stored.get(name);
    if (object) return object;
    const error = new Error('The specified key does not exist.');
    error.name = 'NoSuchKey';
    throw error;
  }

  return {
    calls,
    stored,
    objects: {
      get,
      async getRange(name, [first, last]) {
        const { bytes, etag } = await get(name);
        return { bytes: bytes.subarray(first, last + 1), etag };
      },
    },
    async put(name, content, _contentType, condition) {
      calls.puts += 1;
      await reach();
      const before = stored.get(name);
      const isMet =
        condition === undefined ||
        ('ifMatch' in condition ? before?.etag === condition.ifMatch : before === undefined);
      if (!isMet) throw new ConditionFailed(`${name} was changed by somebody else meanwhile`);
      version += 1;
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      stored.set(name, { bytes, etag: String(version) });
    },
    async list(beginning) {
      calls.lists += 1;
      await reach();
      return [...stored.keys()].filter((name) => name.startsWith(beginning)).sort();
    },
  };
}
