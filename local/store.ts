/** A small S3 for a local run, in memory or in a folder. */
import { join } from 'node:path';
import { jobs } from '../functions/jobs.ts';
import { lockFolder } from '../shared/folder/open-folder.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../shared/marketdata/store/current-snapshot.ts';
import { openSnapshot, SnapshotError } from '../shared/marketdata/store/snapshot.ts';
import { variables } from '../shared/platform/environment.ts';
import type { Published } from '../shared/platform/job.ts';
import type { LocalEnvironment, RouteNeeds } from './function-environment.ts';
import { ObjectFolder, type StoredObjects } from './object-folder.ts';
import type { ChosenProvider } from './provider-choice.ts';
import { type S3Server, serveObjects } from './s3.ts';
import type { SeededStore } from './simulated/past.ts';
import type { TemplateFunction } from './template.ts';

export interface StoreOptions {
  /** Keep objects in a subfolder for each provider; in memory by default. */
  readonly folder?: string | undefined;
  /** True: the history jobs run as well, and the store starts with the past of a simulated market. */
  readonly history?: boolean;
}

export interface LocalStore {
  readonly s3: S3Server<StoredObjects>;
  readonly bucket: string;
  /** Undefined: it is in memory. */
  readonly folder: string | undefined;
  /** The jobs' publications in it. */
  readonly publishes: readonly Published[];
  /** Variables through which functions find it. */
  readonly environment: LocalEnvironment;
  /** The end of the published snapshot's interval, in milliseconds since the epoch; 0 if there is none. */
  snapshotDueAt(): number;
  /** Prepares in the background what the first charts need. */
  prepare(): void;
  close(): Promise<void>;
}

const BUCKET = 'local';
const bucketNames: readonly string[] = ['SNAPSHOT_BUCKET', 'HISTORY_BUCKET', 'SOURCES_BUCKET'];

/**
 * Starts the store of a service. The registry stays the built one: only prices are published here.
 * Throws an Error if the folder cannot be used or another service uses it.
 */
export async function startLocalStore(
  options: StoreOptions,
  provider: Pick<ChosenProvider, 'kind' | 'url' | 'simulated'>,
  local: LocalEnvironment = {},
): Promise<LocalStore> {
  const opened = options.folder && openFolder(options.folder, storeNameOf(provider));
  const { objects, unlock, folder } = opened || { objects: new Map<string, Buffer>() };
  const past = await pastOf(objects, options, provider, local);
  const s3 = await serveObjects(past ?? objects);
  const access = {
    AWS_ENDPOINT_URL_S3: s3.url,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  return {
    s3,
    bucket: BUCKET,
    folder,
    publishes: options.history ? ['snapshot', 'history', 'sources'] : ['snapshot'],
    environment: { ...Object.fromEntries(bucketNames.map((name) => [name, BUCKET])), ...access },
    snapshotDueAt: () => dueAt(s3.objects.get(`/${BUCKET}/${SNAPSHOT_PREFIX}${SNAPSHOT_NAME}`)),
    prepare: () => void past?.prepare(),
    async close() {
      await s3.close();
      unlock?.();
    },
  };
}

function dueAt(published: Buffer | undefined): number {
  if (!published) return 0;
  try {
    const { takenAt, intervalMs } = openSnapshot(published);
    return takenAt + intervalMs;
  } catch (error) {
    if (error instanceof SnapshotError) return 0;
    throw error;
  }
}

/** Simulated prices must never be served as live ones, nor one address's as another's. */
function storeNameOf({ kind, url }: Pick<ChosenProvider, 'kind' | 'url'>): string {
  return kind === 'given' ? `given-${encodeURIComponent(new URL(url).host)}` : kind;
}

function openFolder(root: string, name: string) {
  const folder = join(root, name);
  try {
    const unlock = lockFolder(root);
    return { unlock, folder, objects: new ObjectFolder(folder) };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new Error(
      `No store in ${folder}: ${error.message}. Choose another folder with --store, or --no-store.`,
    );
  }
}

async function pastOf(
  objects: StoredObjects,
  { history }: StoreOptions,
  { simulated }: Pick<ChosenProvider, 'simulated'>,
  local: LocalEnvironment,
): Promise<SeededStore | undefined> {
  if (!history || !simulated) return undefined;
  // Loaded only when used.
  const { seedStore } = await import('./simulated/past.ts');
  const exchanges = local.CANDLE_SOURCES ?? variables.CANDLE_SOURCES.default;
  return seedStore(objects, BUCKET, simulated, exchanges.split(','));
}

export function looksForStore({ environment }: Pick<TemplateFunction, 'environment'>): boolean {
  return bucketNames.some((name) => name in environment);
}

/** What a function needs besides its route's names: the store if it uses one, and a job's own variables. */
export function needsOf(fn: TemplateFunction, isJob: boolean, store: LocalStore | undefined): RouteNeeds[] {
  // The template decides which buckets it uses.
  const access = Object.keys(store?.environment ?? {}).filter((name) => !bucketNames.includes(name));
  const ofStore = looksForStore(fn) ? [{ environment: access }] : [];
  return isJob ? [...jobs, ...ofStore] : ofStore;
}
