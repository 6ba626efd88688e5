/** One run of a job in a thread of its own, which ends with it: no request waits for its work, and its memory goes. */
import { parentPort, workerData } from 'node:worker_threads';
import { openFolder } from '../shared/folder/open-folder.ts';
import { messageOf } from '../shared/platform/message-of.ts';
import { runJob } from './handlers.ts';
import type { ThreadData } from './jobs.ts';
import { useFolderWith } from './simulated.ts';

const { folder, simulation, job } = workerData as ThreadData & { readonly job: string }; // given by `jobs.ts`
useFolderWith(openFolder(folder), simulation);
try {
  await runJob(job);
  parentPort?.postMessage({ failure: undefined });
} catch (error) {
  parentPort?.postMessage({ failure: messageOf(error) });
}
