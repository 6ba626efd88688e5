import { startS3Server } from '../../local/s3.ts';
import { startSimulated } from '../../local/simulated/index.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { encodeSnapshot } from '../../shared/marketdata/snapshot/encode.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../../shared/marketdata/snapshot/store.ts';
import { readTickers, type Ticker } from '../../shared/marketdata/ticker.ts';
import { HOUR_MS } from '../../shared/platform/time.ts';
import { BUCKET, withoutProvider } from '../deployed/environment.ts';
import { inventedCandles } from '../invented-candles.ts';

const SOURCE = 'coinpaprika';

export interface BatchWorld {
  readonly environment: Readonly<Record<string, string>>;
  /** The coins of the snapshot, in the provider's order. */
  readonly tickers: readonly Ticker[];
  close(): Promise<void>;
}

/** S3 with a snapshot of the provider's whole list, with hours as a deployment has them, and no provider. */
export async function startBatchWorld(dist: string): Promise<BatchWorld> {
  const tickers = await simulatedTickers();
  const takenAt = Date.now();
  const from = Math.floor(takenAt / HOUR_MS - 1) * HOUR_MS;
  const hours = inventedCandles({ from, count: 2, stepMs: HOUR_MS, price: 100, source: SOURCE });
  const bytes = encodeSnapshot({
    tickers,
    hours: new Map(tickers.map(({ id }) => [id, hours])),
    takenAt,
    intervalSeconds: 600,
    source: SOURCE,
  });
  const s3 = await startS3Server();
  s3.objects.set(`/${BUCKET}/${SNAPSHOT_PREFIX}${SNAPSHOT_NAME}`, Buffer.from(bytes));
  return {
    environment: withoutProvider(dist, s3.url),
    tickers,
    close: s3.close,
  };
}

async function simulatedTickers(): Promise<readonly Ticker[]> {
  const provider = (await startSimulated({ coins: simulatedEntries() })).provider;
  try {
    const response = await fetch(`${provider.url}/tickers`);
    return readTickers(await response.json()).tickers;
  } finally {
    await provider.close();
  }
}
