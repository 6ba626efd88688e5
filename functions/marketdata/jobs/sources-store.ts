import type { CoinQuotes, SourceMap } from '../../../shared/marketdata/sources/source-map.ts';
import {
  mapObjects,
  objectNames,
  type PublishedMap,
  quotesText,
  SOURCES_PREFIX,
  type SourcesReader,
  sourcesReaderIn,
} from '../../../shared/marketdata/sources/stored.ts';
import { type Bucket, bucketOf, openFrom, openOnlyFrom } from '../../../shared/platform/open-object.ts';
import { replacing } from '../../../shared/platform/publish-object.ts';

export { type PublishedMap, SOURCES_PREFIX } from '../../../shared/marketdata/sources/stored.ts';

const JSON_TYPE = 'application/json';

/**
 * What is known of other sources. Reads give undefined if nothing was published, or nothing that can be opened, which is
 * set aside if it is read to be replaced (`publishedMap`, `publishedQuotes`). Throws what opening throws; puts throw what
 * the AWS SDK throws, and ConditionFailed if somebody else was quicker.
 */
export interface SourcesStore extends SourcesReader {
  map(): Promise<SourceMap | undefined>;
  quotes(): Promise<CoinQuotes | undefined>;
  /** Puts the map first and the manifest last: one write switches every reader from one map to the next. */
  publishMap(map: PublishedMap, replaced: string | undefined): Promise<void>;
  publishQuotes(quotes: CoinQuotes, replaced: string | undefined): Promise<void>;
}

/** Of an S3 bucket. */
export function sourcesStore(bucket: string): SourcesStore {
  return sourcesStoreIn(bucketOf(bucket, SOURCES_PREFIX));
}

export function sourcesStoreIn(bucket: Bucket): SourcesStore {
  const reader = sourcesReaderIn(openOnlyFrom(bucket.objects));
  const { put } = bucket;
  return {
    ...sourcesReaderIn(openFrom(bucket)),
    map: async () => (await reader.publishedMap()).content,
    quotes: async () => (await reader.publishedQuotes()).content,
    async publishMap(content, replaced) {
      const { map, manifest } = mapObjects(content);
      await put(map.name, map.text, JSON_TYPE);
      await put(manifest.name, manifest.text, JSON_TYPE, replacing(replaced));
    },
    publishQuotes: (quotes, replaced) =>
      put(objectNames.quotes, quotesText(quotes), JSON_TYPE, replacing(replaced)),
  };
}
