/** What a supervisor asks: whether the process is up and its folder can be written, and whether there are prices to serve. */
import { accessSync, constants } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Handle } from '../http-api/gateway.ts';
import { isMissing } from '../shared/folder/objects.ts';
import type { ServerFolder } from '../shared/folder/open-folder.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../shared/marketdata/store/current-snapshot.ts';
import { openSnapshot } from '../shared/marketdata/store/snapshot.ts';
import { messageOf } from '../shared/platform/message-of.ts';
import { HOUR_MS } from '../shared/platform/time.ts';

/** Prices are served for so long after they were made. */
const SERVED_MS = 12 * HOUR_MS;
const READ_MS = 1_000;

type Check = () => Promise<string | undefined>;

/** Answers `GET /healthz` and `/readyz`, for which nobody needs a key, and passes all else on. */
export function withHealth(folder: ServerFolder, isSimulated: boolean, next: Handle): Handle {
  const checks: Readonly<Record<string, Check>> = {
    '/healthz': async () => {
      accessSync(folder.path, constants.W_OK);
      // One change, because each is synced.
      folder.database.exec('PRAGMA user_version = 1');
      return undefined;
    },
    '/readyz': isSimulated ? async () => undefined : readiness(folder),
  };
  return async (request: IncomingMessage, response: ServerResponse) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const check = isRead && Object.hasOwn(checks, path) ? checks[path] : undefined;
    if (!check) return next(request, response);
    const problem = await check().catch(messageOf);
    const body = problem === undefined ? { success: true, data: 'ok' } : { success: false, error: problem };
    response.writeHead(problem === undefined ? 200 : 503, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.end(JSON.stringify(body));
  };
}

/** Opens a snapshot only when it is a new one. */
function readiness({ objects }: ServerFolder): Check {
  const snapshots = objects(SNAPSHOT_PREFIX);
  let opened: { readonly etag: string | undefined; readonly takenAt: number } | undefined;
  return async () => {
    const signal = AbortSignal.timeout(READ_MS);
    try {
      const newer = await snapshots.getNewer(SNAPSHOT_NAME, opened?.etag, { signal });
      if (newer) opened = { etag: newer.etag, takenAt: openSnapshot(newer.bytes).takenAt };
    } catch (error) {
      if (isMissing(error)) return 'there are no prices yet';
      throw error;
    }
    const ageMs = Date.now() - (opened?.takenAt ?? 0);
    return ageMs <= SERVED_MS
      ? undefined
      : `the latest prices are ${Math.floor(ageMs / HOUR_MS)} hours old, and are not served`;
  };
}
