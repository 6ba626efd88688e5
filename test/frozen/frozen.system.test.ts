/** Containers that are really stopped between two events, in front of stores that are slower than a request waits. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { type S3Server, startS3Server } from '../../local/s3.ts';
import { type BuiltRegistry, buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { digestOf, KEYS_ROW, newKey, RECORDS_ATTRIBUTE } from '../../shared/http/named-keys.ts';
import { RATES_NAME, ratesText } from '../../shared/marketdata/rates.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../../shared/marketdata/store/current-snapshot.ts';
import { HISTORY_PREFIX, objectNames } from '../../shared/marketdata/store/names.ts';
import { encodeSamples } from '../../shared/marketdata/store/samples.ts';
import { encodeTail, TAIL_NAME, tailChanges } from '../../shared/marketdata/store/tail.ts';
import { dynamoTable } from '../../shared/platform/dynamo-table.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { PUBLISHED_MANIFEST } from '../../shared/registry/manifest.ts';
import { REGISTRY_PREFIX } from '../../shared/registry/refresh.ts';
import { type Clock, clockAt } from '../contract/clock.ts';
import { type LocalSecretsManager, startSecretsManager } from '../secrets/secrets-manager.ts';
import { isLong } from '../setup/long.ts';
import { snapshotOf } from '../snapshot/tickers.ts';
import type { Answer, Event } from './container.ts';
import { type Reading, read, readings } from './readings.ts';
import { type SlowServer, startSlowServer } from './slow-server.ts';

type Version = 'old' | 'new';

const BUCKET = 'bucket';
const TABLE = 'shared';
const SECRET_NAME = 'marketdata/node';
/** Longer than a request with older data waits, and shorter than the limit of any attempt. */
const SLOW_MS = 600;
/** Longer than the limit of any attempt. */
const STOPPED_MS = isLong ? 17_000 : 4_000;
/** The first event ends before its reading, as one that has older data, an init or a 504 does. */
const SHORT_MS = 100;
const LONG_MS = 6_000;
const STAGGER_MS = 50;
/** The time after which everything that is held may be outdated. */
const LATER_MS = DAY_MS + HOUR_MS;
const key = newKey();

let clock: Clock;
let s3: S3Server;
let dynamoDb: LocalDynamoDb;
let secrets: LocalSecretsManager;
let servers: SlowServer[];
let environment: Record<string, string>;
const started: ChildProcess[] = [];

beforeAll(async () => {
  clock = clockAt(Date.UTC(2026, 10, 28, 12, 5));
  [s3, dynamoDb, secrets] = await Promise.all([startS3Server(), startDynamoDb(), startSecretsManager()]);
  servers = await Promise.all(
    [s3.url, dynamoDb.url, secrets.environment.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? ''].map(startSlowServer),
  );
  const [objects, table, manager] = servers;
  const folder = mkdtempSync(join(inject('runFolder'), 'frozen-'));
  environment = {
    ...secrets.environment,
    AWS_ENDPOINT_URL_S3: objects?.url ?? '',
    AWS_ENDPOINT_URL_DYNAMODB: table?.url ?? '',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: manager?.url ?? '',
    ...Object.fromEntries(
      ['SNAPSHOT', 'HISTORY', 'REGISTRY', 'SOURCES'].map((kind) => [`${kind}_BUCKET`, BUCKET]),
    ),
    ...{ SHARED_TABLE: TABLE, KEYS_TABLE: TABLE, REGISTRY_PATH: folder, METRICS: 'off' },
    ...{ [read.secret]: `secretsmanager:${SECRET_NAME}`, CLIENT_KEY: key, SLOT: String(Date.now()) },
  };
  await createKeyedTable(dynamoDb, TABLE);
  await writeRegistry(folder, registry('old'));
  await publish('old');
});

afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all([...servers.map(({ close }) => close()), s3.close(), dynamoDb.close(), secrets.close()]);
  clock.close();
});

function registry(version: Version): BuiltRegistry {
  const builtAt = new Date(Date.now() - HOUR_MS);
  return buildRegistry(simulatedEntries(version === 'old' ? 300 : 301), {
    ...{ source: version, builtAt, pairs: new Map([[read.coin, version]]) },
  });
}

async function publish(version: Version): Promise<void> {
  const put = (name: string, content: Uint8Array | string) =>
    s3.objects.set(`/${BUCKET}/${name}`, Buffer.from(content));
  const takenAt = Date.now();
  const run = { takenAt, intervalSeconds: 600, source: version };
  const changes = Object.fromEntries(Object.keys(tailChanges).map((name) => [name, null]));
  const row = {
    id: read.coin,
    price: 1,
    at: takenAt,
    takenAt,
    changes: changes as Record<keyof typeof tailChanges, null>,
  };
  put(SNAPSHOT_PREFIX + SNAPSHOT_NAME, snapshotOf([read.coin], run));
  put(SNAPSHOT_PREFIX + TAIL_NAME, encodeTail({ ...run, rows: [row] }));
  put(SNAPSHOT_PREFIX + RATES_NAME, ratesText({ source: version, day: '2026-11-27', rates: { USD: '1.1' } }));
  const { bytes, manifest, coinGeckoIds = '' } = registry(version);
  put(REGISTRY_PREFIX + manifest.index, bytes);
  put(REGISTRY_PREFIX + manifest.coinGeckoIds, coinGeckoIds);
  put(REGISTRY_PREFIX + PUBLISHED_MANIFEST, JSON.stringify(manifest));
  // A slot of samples never changes: there is none at first.
  if (version === 'new') {
    const slot = objectNames.samples(Number(environment.SLOT), read.slotMs);
    put(
      HISTORY_PREFIX + slot,
      encodeSamples([{ id: read.coin, price: 1, volume: null, market_cap: null }], run),
    );
  }
  secrets.secrets.set(SECRET_NAME, version);
  const table = dynamoTable(TABLE, {
    endpoint: dynamoDb.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const records = JSON.stringify([{ name: version, digest: digestOf(key), made: 0 }]);
  await table.update(KEYS_ROW, {
    set: { [RECORDS_ATTRIBUTE]: records },
  });
  await table.update(read.row, { set: { version } });
}

interface Container {
  readonly name: Reading;
  readonly child: ChildProcess;
  /** The answers so far. */
  readonly answers: Answer[];
}

async function startContainer(name: Reading): Promise<Container> {
  const child = fork(join(import.meta.dirname, 'container.ts'), [name], {
    env: { ...process.env, ...environment },
    execArgv: [...clock.execArgv],
  });
  started.push(child);
  await once(child, 'message');
  return { name, child, answers: [] };
}

/** An event, after which the container is stopped. */
async function invoke({ child, answers }: Container, event: Event): Promise<void> {
  child.send(event);
  const [answer] = (await once(child, 'message')) as [Answer];
  child.kill('SIGSTOP');
  answers.push(answer);
}

/** Does the work for each, a little later for each: all at once would keep one another waiting for a processor. */
const every = (containers: readonly Container[], work: (one: Container) => Promise<void>) =>
  Promise.all(
    containers.map(async (one, index) => {
      await sleep(STAGGER_MS * index);
      await work(one);
    }),
  );

const names = Object.keys(readings) as Reading[]; // its own keys

describe('a container that is stopped while it reads', { timeout: 120_000 }, () => {
  let woken: Container[];
  let late: Container[];
  beforeAll(async () => {
    woken = await Promise.all(names.map(startContainer));
    late = await Promise.all(names.map(startContainer));
    const all = [...woken, ...late];
    await every(all, (one) => invoke(one, { atMostMs: LONG_MS }));
    await publish('new');
    clock.moveBy(LATER_MS);
    await publish('new');
    for (const server of servers) server.contentDelayMs = SLOW_MS;
    await every(all, async (one) => {
      one.child.kill('SIGCONT');
      await invoke(one, { atMostMs: SHORT_MS });
    });
    // A table of ids is read after the registry that names it: one more pause.
    for (let pause = 0; pause < 2; pause += 1) {
      await sleep(STOPPED_MS);
      for (const server of servers) server.cut();
      await every(woken, async (one) => {
        const answered = invoke(one, { atMostMs: LONG_MS }); // the event is there when it wakes up
        one.child.kill('SIGCONT');
        await answered;
      });
      await every(late, async (one) => {
        one.child.kill('SIGCONT');
        await sleep(50); // its timers fire before the event comes
        await invoke(one, { atMostMs: LONG_MS });
      });
    }
  }, 120_000);

  const versionsOf = (containers: readonly Container[], name: string) =>
    containers.find((one) => one.name === name)?.answers.map(({ version, error }) => error ?? version);
  const expected = (name: string) => {
    const first = name === 'samples' ? undefined : 'old';
    const during = name === 'table' ? expect.anything() : expect.stringMatching(/^(old|unfinished)$/);
    return name === 'ids' ? [first, during, expect.anything(), 'new'] : [first, during, 'new', 'new'];
  };

  it.each(names)('reads %s anew with the event that wakes it', (name) => {
    expect(versionsOf(woken, name)).toEqual(expected(name));
  });

  it.each(names)('reads %s anew with an event after its timers have fired', (name) => {
    expect(versionsOf(late, name)).toEqual(expected(name));
  });
});
