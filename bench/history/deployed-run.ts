import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StoredObjects } from '../../local/object-folder.ts';
import { serveObjects } from '../../local/s3.ts';
import { HISTORY_PREFIX } from '../../shared/marketdata/store/names.ts';
import { accessTo, BUCKET } from '../deployed/environment.ts';
import { type FileBucket, fileBucket } from './file-bucket.ts';
import type { RollUpFigures } from './roll-up-process.ts';

const BEGINNING = `/${BUCKET}/${HISTORY_PREFIX}`;

/** One run of the deployed roll-up, in a fresh process, with the objects of a folder behind S3 over HTTP. */
export async function deployedRun(
  bundle: string,
  folder: string,
  { now, oldSpaceMb }: { readonly now: number; readonly oldSpaceMb: number },
): Promise<RollUpFigures> {
  const bucket = fileBucket(folder);
  const s3 = await serveObjects(objectsIn(bucket));
  try {
    const job = { bundle: pathToFileURL(bundle).href, now };
    const child = fork(join(import.meta.dirname, 'deployed-run.mjs'), [JSON.stringify(job)], {
      execArgv: [`--max-old-space-size=${oldSpaceMb}`],
      env: {
        NODE_ENV: 'production',
        HISTORY_BUCKET: BUCKET,
        ...accessTo(s3.url),
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [answer] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (typeof answer !== 'object') throw new Error(`The deployed roll-up ended with ${answer}`);
    child.kill();
    const figures = answer as Omit<RollUpFigures, keyof FileBucket['traffic'] | 'worstCpuMs'>; // as it sends them
    const ofMethod = (beginning: string) => s3.requests.filter((one) => one.startsWith(beginning)).length;
    const gets = ofMethod(`GET ${BEGINNING}`);
    const lists = ofMethod('GET ') - gets;
    const puts = ofMethod('PUT ');
    return { ...bucket.traffic, ...figures, gets, puts, lists, worstCpuMs: figures.cpuMs };
  } finally {
    await s3.close();
  }
}

/** The bucket's objects as the local S3 has them. It reads an object before it puts it, to see whether it may. */
function objectsIn(bucket: FileBucket): StoredObjects {
  const nameOf = (path: string) => path.slice(BEGINNING.length);
  return {
    get: (path) => bucket.read(nameOf(path)),
    set: (path, content) => bucket.write(nameOf(path), content),
    *keys(beginning = '') {
      for (const name of bucket.names(nameOf(beginning))) yield BEGINNING + name;
    },
    [Symbol.iterator]: () => {
      throw new Error('The bucket is not gone through');
    },
  };
}
