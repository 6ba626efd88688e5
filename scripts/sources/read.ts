import { type PublishedMap, sourcesReader } from '../../shared/marketdata/sources/source-map.ts';
import { snapshotReader } from '../../shared/marketdata/store/current-snapshot.ts';
import { openSnapshot } from '../../shared/marketdata/store/snapshot.ts';
import type { Ticker } from '../../shared/marketdata/ticker.ts';

const READ_TIMEOUT_MS = 30_000;

export interface Sources {
  readonly map: PublishedMap;
  /** Those of the published snapshot, by id. */
  readonly tickers: ReadonlyMap<string, Ticker>;
}

/** Undefined if there is no map that can be used. Throws what S3 answers, TransportError, and SnapshotError. */
export async function readSources(bucket: string): Promise<Sources | undefined> {
  const [{ content: map }, object] = await Promise.all([
    sourcesReader(bucket).map(),
    snapshotReader(bucket).published(AbortSignal.timeout(READ_TIMEOUT_MS)),
  ]);
  if (!map) return undefined;
  if (!object) return { map, tickers: new Map() };
  const snapshot = openSnapshot(object.bytes);
  const tickers = Array.from(snapshot.tickers(), ({ data }): [string, Ticker] => [data.id, data]);
  return { map, tickers: new Map(tickers) };
}
