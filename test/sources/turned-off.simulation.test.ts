import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { job as candles } from '../../functions/marketdata/jobs/candles/job.ts';
import { job as contracts } from '../../functions/marketdata/jobs/contracts/job.ts';
import { job as markets } from '../../functions/marketdata/jobs/markets/job.ts';
import { job as tokens } from '../../functions/marketdata/jobs/tokens/job.ts';
import { stageConfig } from '../../infra/config.ts';
import { constructId } from '../../infra/constructs/functions.ts';
import type { S3Server } from '../../local/s3.ts';
import { sourcesStore } from '../../shared/marketdata/sources/source-map.ts';
import { templateOf } from '../infra/synthesized.ts';
import { type Loopback, startLoopback } from '../pipeline/loopback.ts';
import { startStubbedS3 } from '../s3.ts';
import { snapshotOf } from '../snapshot/tickers.ts';

const BUCKET = 'bucket';
const addresses = ['COINPAPRIKA', 'COINBASE', 'KRAKEN', 'BINANCE', 'DEFILLAMA'];
const cases = [
  [markets.name, markets, () => import('../../functions/marketdata/jobs/markets/handler.ts')],
  [candles.name, candles, () => import('../../functions/marketdata/jobs/candles/handler.ts')],
  [tokens.name, tokens, () => import('../../functions/marketdata/jobs/tokens/handler.ts')],
  [contracts.name, contracts, () => import('../../functions/marketdata/jobs/contracts/handler.ts')],
] as const;

describe('a stage without other sources', () => {
  let s3: S3Server;
  let source: Loopback;
  beforeAll(() => {
    environmentOf('MarketdataMarkets'); // the stack is made once, which may take longer than a test
  }, 60_000);
  beforeEach(async () => {
    s3 = await startStubbedS3();
    source = await startLoopback();
    for (const name of addresses) vi.stubEnv(`${name}_BASE_URL`, source.url);
    vi.resetModules();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await source.close();
    await s3.close();
  });

  it.each(cases)('deploys %s to do nothing', async (_name, job, load) => {
    for (const [variable, value] of Object.entries(environmentOf(constructId(job))))
      if (variable !== 'SHARED_TABLE' && !variable.includes('_API_KEY'))
        vi.stubEnv(variable, typeof value === 'string' ? value : BUCKET);
    vi.stubEnv('METRICS', 'off');
    const since = Date.now();
    const market = { exchange: 'coinbase', market: 'BTC-USD', quote: 'USD', since } as const;
    const map = { coins: new Map([['btc-bitcoin', [market]]]), at: since };
    await sourcesStore(BUCKET).putMap({ ...map, state: { takenAt: null, exchanges: [] } }, undefined);
    const list = { version: 1, chains: { ethereum: { '0x1': 'tail-coin' } } };
    s3.objects.set(`/${BUCKET}/sources/contracts.v1`, Buffer.from(JSON.stringify(list)));
    s3.objects.set(`/${BUCKET}/snapshot/tickers.v4`, Buffer.from(snapshotOf(['btc-bitcoin'])));
    s3.requests.length = 0;

    const { handler } = await load();
    await handler();
    const { takeMetrics } = await import('../../shared/platform/metrics.ts');
    const { _aws, ...counts } = JSON.parse(takeMetrics('n') ?? '{}');

    // There is nothing to publish, so nothing is missing.
    expect(Object.values(counts)).toEqual(job === contracts ? [] : [1]);
    expect(source.requests).toEqual([]);
    expect(s3.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  });
});

/** The environment in the template: texts, and references to what the stack makes. */
function environmentOf(id: string): Readonly<Record<string, unknown>> {
  const { environment } = stageConfig('prod');
  const off = { ...environment, CANDLE_SOURCES: '', TOKEN_SOURCES: '' };
  const functions = templateOf('prod', { environment: off }).findResources('AWS::Lambda::Function');
  const [, found] = Object.entries(functions).find(([one]) => one.startsWith(`${id}Function`)) ?? [];
  return found?.Properties.Environment.Variables;
}
