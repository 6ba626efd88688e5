import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { nothingToRead, type Objects, objectsOf } from '../../platform/objects.ts';
import { SNAPSHOT_PREFIX } from '../snapshot/store.ts';
import { HeldObjects } from '../store/held-objects.ts';
import { type EuroRates, RATES_NAME, type RatesAtHand, ratesAtHand, readRates } from './euro-rates.ts';

const TIMEOUT_MS = 1_000;
/** They change once a day, in the afternoon. */
const HELD_MS = 10 * 60_000;
const MISSING_MS = 10_000;

const held = new HeldObjects<EuroRates | undefined>(Date.now);
/** This container's, which keeps its connection. */
let objects: Objects | undefined;

/** The published rates; undefined without a bucket, and while none can be had. Never throws. */
export async function currentRates({
  SNAPSHOT_BUCKET: bucket,
}: Environment): Promise<RatesAtHand | undefined> {
  if (!bucket) return undefined;
  try {
    const rates = await held.get(
      RATES_NAME,
      () => read(bucket),
      (found, now) => now + (found ? HELD_MS : MISSING_MS),
    );
    return rates && ratesAtHand(rates, Date.now());
  } catch {
    count('SharedStoreFailures');
    return undefined;
  }
}

async function read(bucket: string): Promise<EuroRates | undefined> {
  objects ??= objectsOf(bucket, SNAPSHOT_PREFIX);
  const object = await objects.get(RATES_NAME, AbortSignal.timeout(TIMEOUT_MS)).catch(nothingToRead);
  return object && readRates(Buffer.from(object.bytes).toString());
}
