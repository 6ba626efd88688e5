/** Makes one write of a kind in a server's folder, or all of them until it is killed, and prints what was acknowledged. */
import { writeSync } from 'node:fs';
import { Scheduler } from '../../server/jobs.ts';
import { lockFolder, openFolder, type ServerFolder } from '../../shared/folder/open-folder.ts';
import { sqliteTable } from '../../shared/folder/table.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';

export const OLD = Buffer.alloc(300_000, 'old');
export const NEW = Buffer.alloc(300_000, 'new');
const TYPE = 'application/octet-stream';

type Write = (folder: ServerFolder) => Promise<unknown>;

async function etagOf({ objects }: ServerFolder, name: string): Promise<string> {
  return (await objects('history/').get(name, AbortSignal.timeout(5_000))).etag ?? '';
}

async function runJobs({ database }: ServerFolder): Promise<void> {
  const scheduler = new Scheduler({
    database,
    threadData: { folder: '', simulation: undefined },
    environment: parseEnvironment({}),
    keepsPrices: true,
    log: () => {},
    run: async () => {},
  });
  await scheduler.start(() => true);
  await scheduler.close();
}

/** Each kind of write that a server makes. */
export const writes: Readonly<Record<string, Write>> = {
  'puts a new object': ({ objects }) => objects('history/').put('new', NEW, TYPE),
  'replaces an object': ({ objects }) => objects('history/').put('a', NEW, TYPE),
  'replaces an object on a condition': async (folder) =>
    folder.objects('history/').put('a', NEW, TYPE, { ifMatch: await etagOf(folder, 'a') }),
  'replaces one that is made anew soon': ({ objects }) => objects('snapshot/').put('t', NEW, TYPE),
  'puts the same content again': ({ objects }) => objects('history/').put('a', OLD, TYPE),
  'removes an object': async (folder) => folder.objects('history/').remove('a', await etagOf(folder, 'a')),
  'counts in the table': ({ database }) => sqliteTable(database).update('k', { add: { n: 1 } }),
  'sets in the table on a condition': ({ database }) =>
    sqliteTable(database).update('k', { set: { n: 2 }, when: ['n', '=', 1] }),
  'notes its jobs': runJobs,
  'removes what others have left': ({ sweep }) => sweep(),
};

declare global {
  var armed: boolean;
  var stepsOf: () => number;
}

const say = (text: string) => writeSync(1, `${text}\n`);

async function main([path = '', kind = '']: readonly string[]): Promise<void> {
  if (kind === 'opens the folder') {
    globalThis.armed = true;
    lockFolder(path);
    openFolder(path);
  } else if (kind === 'all') {
    const folder = openFolder(path);
    for (let n = 1; ; n += 1) {
      const content = Buffer.alloc(100_000, `${n} `);
      await folder.objects('history/').put('a', content, TYPE);
      await folder.objects('snapshot/').put('t', content, TYPE);
      await sqliteTable(folder.database).update('k', { add: { n: 1 } });
      say(String(n));
    }
  } else {
    lockFolder(path);
    const folder = openFolder(path);
    globalThis.armed = true;
    await writes[kind]?.(folder);
  }
  globalThis.armed = false;
  say(`acknowledged after ${globalThis.stepsOf()} steps`);
}

if (import.meta.main) await main(process.argv.slice(2));
