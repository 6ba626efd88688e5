import { type ExportResult, exportHistory } from '../../../../shared/marketdata/parquet/export.ts';
import { HISTORY_PREFIX } from '../../../../shared/marketdata/store/names.ts';
import { environment } from '../../../../shared/platform/environment.ts';
import { ifMissing, objectsOf } from '../../../../shared/platform/objects.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { bucketIn } from '../bucket-in.ts';

const READ_TIMEOUT_MS = 10_000;

/** Throws after the export if an object of the history cannot be opened. */
export const handler = scheduled(async (): Promise<ExportResult> => {
  const bucket = bucketIn(environment(), 'HISTORY_BUCKET');
  const exports = objectsOf(bucketIn(environment(), 'EXPORTS_BUCKET'), 'exports/');
  const result = await exportHistory({
    source: objectsOf(bucket, HISTORY_PREFIX),
    target: {
      read: async (name) =>
        (await exports.get(name, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(ifMissing))?.bytes,
      write: (name, bytes) => exports.put(name, bytes, 'application/octet-stream'),
      complete: async () => {}, // S3 cannot replace several objects at once; the manifest comes last
    },
    ...{ selection: { bucket }, bases: ['24h', '1h'] },
  });
  if (result.damaged.length > 0) throw new Error(`Damaged and not exported: ${result.damaged.join(', ')}`);
  return result;
});
