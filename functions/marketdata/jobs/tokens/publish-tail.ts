import type { ApiError } from '../../../../shared/http/errors.ts';
import { lifetimes } from '../../../../shared/marketdata/freshness.ts';
import { isJump, PARTS } from '../../../../shared/marketdata/gate/bounds.ts';
import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import { batchesOf, type CoinTokens, type TokenPrice } from '../../../../shared/marketdata/sources/token.ts';
import { objectNames } from '../../../../shared/marketdata/store/names.ts';
import { encodeSamples, type Samples } from '../../../../shared/marketdata/store/samples.ts';
import { answersUntil } from '../../../../shared/marketdata/store/snapshot.ts';
import {
  encodeTail,
  openTail,
  type StoredTail,
  TAIL_NAME,
  type Tail,
  type TailRow,
  tailChanges,
} from '../../../../shared/marketdata/store/tail.ts';
import { replacing } from '../../../../shared/platform/objects.ts';
import { ConditionFailed } from '../../../../shared/platform/s3-error.ts';
import { type Bucket, openFrom } from '../../../../shared/platform/stored-object.ts';
import type { HistoryStore } from '../history-store.ts';
import { Lane } from '../lane.ts';
import { agreedPrice, type CoinPrice } from './gate.ts';
import type { FetchReference, References } from './references.ts';

export interface TailOptions {
  readonly client: ProviderClient<'tokenPrices'>;
  /** The tail's bucket. */
  readonly bucket: Bucket;
  readonly history: HistoryStore;
  readonly references: References;
  readonly fetchReference: FetchReference;
  /** The tail's coins, by rank. */
  readonly coins: readonly CoinTokens[];
  readonly intervalSeconds: number;
  /** The end of the last request for prices. Milliseconds since the epoch. */
  readonly deadline: number;
}

export interface PublishedTail {
  /** Candidates for the tail. */
  readonly coins: number;
  readonly rows: number;
  /** Rows kept from the tail before. */
  readonly carried: number;
  /** Coins whose price is held back. */
  readonly held: number;
  /** The last failure of a request for prices, or why no tail was published. */
  readonly failure?: string | undefined;
}

interface Run extends Omit<Tail, 'rows'> {
  /** The source in the names of samples. */
  readonly tokenSource: string;
}

type Prices = ReadonlyMap<string, CoinPrice>;

const MINUTE_MS = 60_000;
const TOKENS_A_REQUEST = 100;
/** The source's pace is the limit, not its latency. */
const LANE = { atATime: 4, answerMs: 10_000 } as const;
/** An older price belongs to an earlier slot. */
const MAX_SAMPLE_AGE_MS = 60 * MINUTE_MS;
const MAX_JUMP_MS = 60 * MINUTE_MS;

/**
 * Publishes the tail after storing its samples, because no later run can make up for missing samples. Throws what the stores
 * throw, and if no price could be fetched.
 */
export async function publishTail(options: TailOptions): Promise<PublishedTail> {
  const { client, bucket, history, references, coins, intervalSeconds } = options;
  const takenAt = Date.now();
  const { content: before, etag } = await openFrom(bucket)(TAIL_NAME, openTail);

  const { tokenPrices, source, failure } = await fetchPrices(client, inTurn(coins, before), options.deadline);
  if (source === undefined) {
    if (failure) throw failure;
    return { coins: coins.length, rows: 0, carried: 0, held: 0 };
  }
  const run = { takenAt, intervalSeconds, source, tokenSource: client.provider.name };

  // The accepted price of each coin in the responses, by rank; undefined: none.
  const offers = new Map(
    coins.flatMap(({ id, tokens }) => {
      const ofCoin = tokenPrices.get(id);
      return ofCoin ? [[id, agreedPrice(ofCoin, tokens, takenAt)] as const] : [];
    }),
  );
  const published = new Map(Array.from(before?.rows() ?? [], ({ id, price }) => [id, price]));
  refuseJump(before, offers, takenAt);
  const ids = coins.map(({ id }) => id);
  const [lookedUp] = await Promise.allSettled([references.lookUp(history, ids, takenAt)]);
  const offered = { offers, published, now: takenAt, intervalMs: intervalSeconds * 1000 };
  await references.refresh(options.fetchReference, offered);
  const held = references.judge(offered);
  const prices = new Map(
    [...offers].flatMap(([id, price]) => (price && !held.has(id) ? [[id, price] as const] : [])),
  );

  await putSamples(history, prices, run);
  const carried = carriedRows(before, prices, options, takenAt);
  const rows = [...(await rowsOf(history, prices, run)), ...carried];
  const bytes = encodeTail({ ...run, rows });
  const isPublished = await isFirst(
    bucket.put(TAIL_NAME, bytes, 'application/octet-stream', replacing(etag)),
  );
  await isFirst(references.save());
  // If the history cannot be read, prices are judged by the other data.
  if (lookedUp.status === 'rejected') throw lookedUp.reason;
  return {
    coins: coins.length,
    rows: rows.length,
    carried: carried.length,
    held: held.size,
    failure: isPublished ? failure?.message : 'another run was quicker',
  };
}

/** Starts with the oldest prices, so that a run that ends early does not always skip the same coins. */
function inTurn(coins: readonly CoinTokens[], before: StoredTail | undefined): readonly CoinTokens[] {
  if (!before) return coins;
  const takenAt = new Map(Array.from(before.rows(), (row) => [row.id, row.takenAt]));
  const timeOf = ({ id }: CoinTokens) => takenAt.get(id) ?? before.takenAt;
  return coins.toSorted((a, b) => timeOf(a) - timeOf(b));
}

interface Fetched {
  /** The token prices of each coin, for the requests that succeeded. */
  readonly tokenPrices: ReadonlyMap<string, readonly TokenPrice[]>;
  readonly source: string | undefined;
  readonly failure: ApiError | undefined;
}

/** The prices of the coins' tokens, as many as can be fetched before the deadline (ms since the epoch). */
async function fetchPrices(
  client: ProviderClient<'tokenPrices'>,
  coins: readonly CoinTokens[],
  deadline: number,
): Promise<Fetched> {
  const lane = new Lane(LANE);
  const tokenPrices = new Map<string, TokenPrice[]>();
  let source: string | undefined;
  await lane.each(batchesOf(coins, TOKENS_A_REQUEST), deadline, async (batch) => {
    const request = client.provider.tokenPrices(batch.flatMap(({ tokens }) => tokens));
    const answer = await lane.fetch((until) => client.fetch(request, until), deadline);
    source = answer.source;
    const byToken = new Map(answer.data.map((price) => [price.token, price]));
    for (const { id, tokens } of batch) {
      const ofCoin = tokens.flatMap((token) => byToken.get(token) ?? []);
      tokenPrices.set(id, ofCoin);
    }
  });
  return { tokenPrices, source, failure: lane.failure };
}

/** Throws Implausible if a tenth of all prices jumped within an hour. In a longer time they may, and an old tail must not last. */
function refuseJump(
  before: StoredTail | undefined,
  offers: ReadonlyMap<string, CoinPrice | undefined>,
  now: number,
): void {
  const recent = Array.from(before?.rows() ?? []).filter(({ takenAt }) => now - takenAt <= MAX_JUMP_MS);
  const pairs = recent.flatMap(({ id, price }) => {
    const next = offers.get(id)?.price;
    return next === undefined ? [] : [[price, next] as const];
  });
  if (isJump(pairs))
    throw new Implausible('Jump', 'Not published: a tenth of all token prices jumped at once');
}

async function putSamples(
  history: Pick<HistoryStore, 'putSamples'>,
  prices: Prices,
  run: Run,
): Promise<void> {
  const { takenAt, intervalSeconds, tokenSource } = run;
  const samples = [...prices]
    .filter(([, { at }]) => takenAt - at <= MAX_SAMPLE_AGE_MS)
    .map(([id, { price }]) => ({ id, price, volume: null, market_cap: null }));
  await history.putSamples(encodeSamples(samples, run), takenAt, intervalSeconds * 1000, tokenSource);
}

/**
 * The tail's rows. Changes are measured against the samples of the slot that contains the earlier moment, if those are of about
 * that moment.
 */
async function rowsOf(
  history: Pick<HistoryStore, 'samples'>,
  prices: Prices,
  { takenAt, intervalSeconds, tokenSource }: Run,
): Promise<TailRow[]> {
  const earlier = await Promise.all(
    Object.entries(tailChanges).map(async ([name, minutes]) => {
      const time = takenAt - minutes * MINUTE_MS;
      const slot = objectNames.samples(time, intervalSeconds * 1000, tokenSource);
      const samples = await history.samples(slot);
      const errorMs = Math.abs((samples?.takenAt ?? Number.NEGATIVE_INFINITY) - time);
      return [name, errorMs <= PARTS.changeTime * minutes * MINUTE_MS ? samples : undefined] as const;
    }),
  );
  return Array.from(prices, ([id, { price, at }]) => {
    const changes = earlier.map(([name, samples]) => [name, changeSince(samples, id, price)]);
    return { id, price, at, takenAt, changes: Object.fromEntries(changes) as TailRow['changes'] }; // exactly the names
  });
}

/** In percent; null without an earlier price. */
function changeSince(samples: Samples | undefined, id: string, price: number): number | null {
  const earlier = samples?.of(id);
  return earlier ? Math.round((price / earlier.price - 1) * 10_000) / 100 : null;
}

/**
 * Rows of the previous tail for coins that still belong to it and have no price now: there was no response, or the price is
 * rejected or held back. They are kept as long as the snapshot's rows are.
 */
function carriedRows(
  before: StoredTail | undefined,
  prices: Prices,
  { coins, references }: Pick<TailOptions, 'coins' | 'references'>,
  now: number,
): TailRow[] {
  if (!before) return [];
  const belonging = new Set(coins.map(({ id }) => id));
  const intervalMs = before.intervalSeconds * 1000;
  return [...before.rows()].filter(
    ({ id, price, takenAt }) =>
      belonging.has(id) &&
      !prices.has(id) &&
      !references.disowns(id, price) &&
      takenAt <= now &&
      now < answersUntil({ takenAt, intervalMs }) + lifetimes.ticker.staleForMs,
  );
}

/** False if another run was quicker: its tail is as good. */
async function isFirst(put: Promise<void>): Promise<boolean> {
  try {
    await put;
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
}
