import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { startS3Server } from '../../local/s3.ts';
import { type LocalService, startLocalService } from '../../local/service.ts';
import { type SimulatedSource, startSimulated } from '../../local/simulated/index.ts';
import { chainNames } from '../../shared/chains.ts';
import { isLong } from '../setup/long.ts';
import { type Canaries, found, makeCanaries } from './canaries.ts';
import { rowsOf, runJob } from './exits.ts';
import { type Hostile, misdeeds, startHostile } from './hostile.ts';
import { type LocalSecretsManager, startSecretsManager } from './secrets-manager.ts';

const CALLER_INPUT = 'what-a-caller-wrote';

let upstream: Hostile;
beforeAll(async () => {
  upstream = await startHostile();
});
afterAll(() => upstream.close());

it('the search finds a canary in every form', () => {
  const canaries = makeCanaries('http://127.0.0.1:1');
  const { COINPAPRIKA_API_KEY: key = '' } = canaries.environment;
  const [name, privateKey = ''] =
    Object.entries(canaries.environment).find(([, value]) => value.startsWith('0x')) ?? [];
  const json = JSON.stringify({ key });

  for (const text of [key, json, JSON.stringify(json), encodeURIComponent(key), encodeURIComponent(json)]) {
    expect(found(canaries, `x${text}x`)).toEqual(['COINPAPRIKA_API_KEY']);
  }
  for (const before of ['', 'a', 'ab', 'abc']) {
    const encoded = Buffer.from(before + privateKey).toString('base64url');
    expect(found(canaries, encoded)).toEqual([name]);
  }
  expect(found(canaries, 'nothing of that kind')).toEqual([]);
});

const services = [
  ['production', 'fetched'],
  ...(isLong ? ([['development', 'given']] as const) : []),
] as const;

describe.each(services)(
  'a service in %s, all of whose secrets its upstream repeats, those of its routes %s,',
  (stage, how) => {
    let canaries: Canaries;
    let manager: LocalSecretsManager;
    let service: LocalService;
    let rates: SimulatedSource;
    const printed: string[] = [];
    let requests = 0;
    beforeAll(async () => {
      canaries = makeCanaries(upstream.url);
      const { environment, fetched } = canaries;
      manager = await startSecretsManager(
        Object.fromEntries(fetched.map((name) => [`canary/${name}`, environment[name] ?? ''])),
      );
      const named = Object.fromEntries(fetched.map((name) => [name, `secretsmanager:canary/${name}`]));
      rates = (await startSimulated()).ecb;
      service = await startLocalService({
        env: {
          ...environment,
          ...(how === 'fetched' && { ...named, ...manager.environment }),
          NODE_ENV: stage,
          METRICS: 'on',
          UPSTREAM_TIMEOUT_MS: '2000',
          ECB_BASE_URL: rates.url, // a job asks for them that prints nothing unless they cannot be had
        },
        shared: true,
        store: true,
        log: (line) => printed.push(line),
      });
    });
    afterAll(async () => {
      await service.close();
      await rates.close();
      await manager.close();
    });

    /** Requests as a new client each time; returns status, headers and body as one text. */
    async function ask(path: string, body?: unknown): Promise<string> {
      requests += 1;
      const { CLIENT_API_KEY: key = '', ORIGIN_SECRET: origin = '' } = canaries.environment;
      const response = await fetch(service.url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'x-api-key': key,
          'x-origin-secret': origin,
          'cloudfront-viewer-address': `10.0.${requests >> 8}.${requests & 255}:443`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return [response.status, JSON.stringify([...response.headers]), await response.text()].join('\n');
    }
    const leaks = (texts: readonly string[]) => texts.filter((text) => found(canaries, text).length > 0);

    it('has none of them in its responses', async () => {
      const { data: page } = JSON.parse(
        (await ask('/api/marketdata/coins?limit=100')).split('\n').at(-1) ?? '',
      );
      const ids: string[] = page.results.map(({ id }: { id: string }) => encodeURIComponent(id));
      const answers: string[] = [];
      const answered = async (path: string, body?: unknown) => answers.push(await ask(path, body));
      for (const misdeed of misdeeds) {
        // What succeeds between the failures ends the pause that three of them would begin.
        for (const kind of ['data', misdeed] as const) {
          upstream.misdeed = kind;
          await answered(`/api/marketdata/ticker/${ids.shift()}`);
          await answered('/api/rpc/local', { method: 'eth_getCode', params: [] });
        }
      }
      upstream.misdeed = 'data';
      for (const chain of chainNames) await answered(`/api/rpc/${chain}`, { method: 'eth_getCode' });
      await answered(`/api/marketdata/ohlcv/${ids.shift()}`);
      const post = async () => {
        for (const { method, path, example } of routes) {
          if (method !== 'POST') continue;
          for (const network of 'network' in example ? ['local', 'sepolia'] : ['local']) {
            const body = { ...example, ...('network' in example && { network }) };
            await answered(path.replace('{chain}', network), body);
          }
        }
        return [...new Set(manager.asked)].sort();
      };
      const fetched = how === 'given' ? [] : canaries.fetched.map((name) => `canary/${name}`).sort();
      // A table that was late is left alone for five seconds, and so is what is read after it.
      await expect.poll(post, { interval: 1000, timeout: 60_000 }).toEqual(fetched);
      await answered(`/api/marketdata/ticker/${CALLER_INPUT}`);
      await answered(`/api/${CALLER_INPUT}`);

      expect(leaks(answers)).toEqual([]);
      // Results and refusals came through; names are the registry's.
      expect(answers.filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(5);
      expect(answers.filter((answer) => answer.includes('[redacted]')).length).toBeGreaterThan(5);
    }, 120_000);

    it('stores none of them in the table and in S3', async () => {
      const rows = await rowsOf(service);
      const objects = [...(service.store?.s3.objects ?? [])].map(([name, bytes]) => `${name}\n${bytes}`);

      expect(leaks([...rows, ...objects])).toEqual([]);
      expect(rows.join('\n')).toMatch(/^failure: /m);
      expect(objects.join('\n')).toContain('[redacted]');
    });

    const jobsLeakNothing = async () => {
      const s3 = await startS3Server();
      const jobs = service.template.functions.filter(({ id }) =>
        service.template.routes.every(({ functionId }) => functionId !== id),
      );
      const { COINPAPRIKA_BASE_URL: base = '', ...environment } = canaries.environment;
      const common = {
        ...environment,
        NODE_ENV: stage,
        METRICS: 'on',
        SNAPSHOT_BUCKET: 'bucket',
        REGISTRY_BUCKET: 'bucket',
        AWS_ENDPOINT_URL_S3: s3.url,
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
      };
      const wrong = { ...common, COINPAPRIKA_BASE_URL: `not a URL ${environment.COINPAPRIKA_API_KEY}` };

      const runs: Awaited<ReturnType<typeof runJob>>[] = [];
      for (const job of jobs.filter(({ name }) => /Snapshot|Registry/.test(name))) {
        for (const misdeed of ['data', 'escaped', '401', 'type', 'encoding', 'shape'] as const) {
          upstream.misdeed = misdeed;
          runs.push(await runJob(job, { ...common, COINPAPRIKA_BASE_URL: base }));
        }
        runs.push(await runJob(job, wrong));
      }
      upstream.misdeed = 'data';
      await s3.close();

      const lines = runs.flatMap((run) => run.lines);
      const objects = [...s3.objects].map(([name, bytes]) => `${name}\n${bytes}`);
      expect(objects.length).toBeGreaterThanOrEqual(3);
      expect(leaks([...lines, ...runs.flatMap(({ result = '' }) => result), ...objects])).toEqual([]);
      expect(lines.filter((line) => /^\[\w+\] {4}at |\[cause\]/.test(line))).toEqual([]);
      expect(
        lines.filter((line) => line.includes('Error: CoinPaprika refuses the key of this service (401)'))
          .length,
      ).toBe(2);
    };
    // Jobs fetch no secrets, so one way is enough.
    if (how === 'fetched')
      it('runs jobs that print, return, throw and publish none of them', jobsLeakNothing, 120_000);

    it('prints none of them', () => {
      expect(printed.length).toBeGreaterThan(20);
      expect(leaks(printed)).toEqual([]);
    });

    it('prints metrics, the class of a 500, its text in development, and no input of callers', () => {
      const classAlone =
        /^\[\w+\] \{("_aws":|"level":"ERROR","service":"[\w/-]+","status":500,"requestId":"[^"]+","error":"\w+"(,"code":"[\w.-]+")?\}$)/;
      const expected = stage === 'production' ? classAlone : /^\[\w+\] \{"(_aws|level)":/;
      expect(printed.filter((line) => !expected.test(line))).toEqual([]);
      expect(printed.filter((line) => line.includes(CALLER_INPUT))).toEqual([]);
    });
  },
);
