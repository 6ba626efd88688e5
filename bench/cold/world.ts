import { join } from 'node:path';
import { build } from 'esbuild';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { startSimulatedProvider } from '../../local/provider/index.ts';
import { startS3Server } from '../../local/s3.ts';
import { ensureRegistry, registryFolder } from '../../registry-layer/main.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { build as buildFunctions, bundleOptions, functionId } from '../../scripts/build.ts';
import { RATES_NAME, ratesText } from '../../shared/marketdata/rates/euro-rates.ts';
import { openSnapshot } from '../../shared/marketdata/snapshot/snapshot.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../../shared/marketdata/snapshot/store.ts';
import { HISTORY_PREFIX } from '../../shared/marketdata/store/names.ts';
import { encodeTail, TAIL_NAME, tailChanges } from '../../shared/marketdata/tail/tail-file.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { eventTo, KEY } from '../deployed/request.ts';
import { invokeOnce } from './containers.ts';
import { type Contestant, eventOf, isSuccess, USUAL_MB, type World } from './contestant.ts';
import { farAway, makeCertificate } from './far-server.ts';
import { historyObjects } from './history.ts';

/** A call of S3 or DynamoDB within a region, as the targets have it. */
export const DELAY_MS = 15;
/** What is measured is of another coin than the one that functions may have at hand from the start. */
const [MEASURED, MOST_WANTED] = ['eth-ethereum', 'btc-bitcoin'];
/** Coins that have a past, the largest: those of the first screen, and a hundred others. */
const WITH_PAST = 120;
const [BUCKET, TABLE] = ['marketdata-bench', 'marketdata-bench'];

/**
 * All that a deployed function speaks to, with what lies there after some time: the snapshot that the job publishes,
 * our own history, and the answers that another container has left in the table.
 */
export async function startWorld(folder: string): Promise<World> {
  const certificate = await makeCertificate(folder);
  const entries = simulatedEntries();
  const provider = await startSimulatedProvider({ coins: entries });
  const [near, dynamoDb] = await Promise.all([startS3Server(), startDynamoDb()]);
  const s3 = await farAway(near.url, DELAY_MS, certificate);
  const table = await farAway(dynamoDb.url, DELAY_MS, certificate);
  await createKeyedTable(dynamoDb, TABLE);
  const environment = {
    ...dynamoDb.environment,
    AWS_ENDPOINT_URL_DYNAMODB: table.url,
    AWS_ENDPOINT_URL_S3: s3.url,
    NODE_EXTRA_CA_CERTS: certificate.file,
    NODE_ENV: 'production',
    CLIENT_API_KEY: KEY,
    COINPAPRIKA_BASE_URL: provider.url,
    REGISTRY_PATH: registryFolder,
    SHARED_TABLE: TABLE,
  };
  await buildBundles(folder);
  const marketData = routes.filter(({ name }) => name.startsWith('marketdata/'));
  const ours = marketData.map(
    (route): Contestant => ({
      name: route.name.replace('marketdata/', ''),
      memoryMb: route.memoryMb,
      folder: join(folder, 'ours', functionId(route.name)),
      environment: {
        ...environment,
        ...(route.snapshot && { SNAPSHOT_BUCKET: BUCKET }),
        ...(route.registry && { REGISTRY_BUCKET: BUCKET }),
        ...(route.history && { HISTORY_BUCKET: BUCKET }),
      },
      event: eventOf(route, MEASURED),
      check: isSuccess,
    }),
  );
  const snapshot = jobs.find(({ publishes }) => publishes?.includes('snapshot'));
  if (!snapshot) throw new Error('No job publishes the snapshot');
  const withBucket = { ...environment, SNAPSHOT_BUCKET: BUCKET };
  await invokeOnce({
    folder: join(folder, 'ours', functionId(snapshot.name)),
    environment: { ...withBucket, HISTORY_BUCKET: BUCKET },
  });
  putHistory(near.objects, entries);
  const inTail = putTail(near.objects, entries);
  const day = new Date().toISOString().slice(0, 10);
  const rates = ratesText({ day, source: 'simulated', rates: { USD: '1.1520' } });
  near.objects.set(`/${BUCKET}/${SNAPSHOT_PREFIX}${RATES_NAME}`, Buffer.from(rates));
  for (const [index, container] of ours.entries()) {
    await invokeOnce(container);
    const route = marketData[index];
    if (route) await invokeOnce({ ...container, event: eventOf(route, MOST_WANTED) });
  }

  const ticker = ours.find(({ name }) => name === 'ticker');
  const tickerRoute = marketData.find(({ name }) => name === 'marketdata/ticker');
  if (!ticker || !tickerRoute) throw new Error('There is no ticker');
  const sparklines = ours.find(({ name }) => name === 'sparklines');
  if (!sparklines) throw new Error('There are no sparklines');
  const { event } = ticker;
  return {
    contestants: [
      { name: 'empty handler', memoryMb: USUAL_MB, folder: join(folder, 'empty'), environment, event },
      ...ours,
      { ...ticker, name: 'ticker of the tail', event: eventOf(tickerRoute, inTail) },
      ofOthers(sparklines, entries, 20),
      ofOthers(sparklines, entries, 100),
      {
        name: 'Hono, AWS SDK',
        memoryMb: USUAL_MB,
        folder: join(folder, 'hono'),
        environment: withBucket,
        event,
        check: isSuccess,
      },
    ],
    async close() {
      s3.close();
      table.close();
      await Promise.all([near.close(), dynamoDb.close(), provider.close()]);
    },
  };
}

/** Sparklines of so many coins that a container has not at hand from the start. */
function ofOthers(sparklines: Contestant, entries: readonly RegistryEntry[], count: number): Contestant {
  const ids = largest(entries).slice(-count).map(encodeURIComponent);
  const path = '/api/marketdata/sparklines';
  const target = `${path}?ids=${ids.join(',')}`;
  const event = eventTo({ method: 'GET', target, routeKey: `GET ${path}` });
  return { ...sparklines, name: `sparklines of ${count} others`, event };
}

function largest(entries: readonly RegistryEntry[]): string[] {
  const ranked = entries.filter(({ is_active, rank }) => is_active && rank > 0);
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, WITH_PAST)
    .map(({ id }) => id);
}

/** Of the largest coins, and today's hours of all that have a price. */
function putHistory(objects: Map<string, Buffer>, entries: readonly RegistryEntry[]): void {
  const snapshot = objects.get(`/${BUCKET}/${SNAPSHOT_PREFIX}${SNAPSHOT_NAME}`);
  if (!snapshot) throw new Error('The job has published no snapshot');
  const all = entries.filter(({ is_active }) => is_active).map(({ id }) => id);
  for (const [name, bytes] of historyObjects(snapshot, { all, known: largest(entries) }))
    objects.set(`/${BUCKET}/${HISTORY_PREFIX}${name}`, Buffer.from(bytes));
}

/** Prices of all active coins that the snapshot does not have; returns one of these coins. */
function putTail(objects: Map<string, Buffer>, entries: readonly RegistryEntry[]): string {
  const published = objects.get(`/${BUCKET}/${SNAPSHOT_PREFIX}${SNAPSHOT_NAME}`);
  if (!published) throw new Error('The job has published no snapshot');
  const snapshot = openSnapshot(published);
  const others = entries.filter(({ id, is_active }) => is_active && !snapshot.ticker(id));
  const [coin] = others;
  if (!coin) throw new Error('The snapshot has all coins');
  const takenAt = Date.now();
  const changes = Object.fromEntries(Object.keys(tailChanges).map((name) => [name, 1.5]));
  const rows = others.map(({ id }) => ({
    id,
    price: 0.123456789,
    at: takenAt,
    takenAt,
    changes: changes as Record<keyof typeof tailChanges, number>, // its own keys
  }));
  const tail = encodeTail({ takenAt, intervalSeconds: 600, source: 'simulated', rows });
  objects.set(`/${BUCKET}/${SNAPSHOT_PREFIX}${TAIL_NAME}`, Buffer.from(tail));
  return coin.id;
}

async function buildBundles(folder: string): Promise<void> {
  await Promise.all([buildFunctions(join(folder, 'ours')), ensureRegistry('simulated')]);
  const comparisons = { empty: '../functions/empty.ts', hono: './hono.ts' };
  await Promise.all(
    Object.entries(comparisons).map(([name, path]) =>
      build({
        ...bundleOptions,
        entryPoints: { index: join(import.meta.dirname, path) },
        outdir: join(folder, name),
      }),
    ),
  );
}
