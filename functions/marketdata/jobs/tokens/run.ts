import { Implausible, isJump } from '../../../../shared/marketdata/gate/implausible.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import { encodeSamples } from '../../../../shared/marketdata/store/sample-file.ts';
import type { Tail, TailRow } from '../../../../shared/marketdata/tail/tail-file.ts';
import { ConditionFailed } from '../../../../shared/platform/publish-object.ts';
import type { TokenOffers } from '../../../../shared/providers/token-sources.ts';
import type { HistoryStore } from '../history-store.ts';
import { askPrices, type CoinTokens } from './ask-prices.ts';
import { changesBefore } from './changes.ts';
import type { Counted } from './counted.ts';
import { type Past, storePast } from './past.ts';
import type { AskProvider, References } from './references.ts';
import { carriedRows, countedPrices, inTurn, judged, type Priced } from './tail.ts';
import type { TailStore } from './tail-store.ts';

export interface TailOptions {
  readonly client: ProviderClient<TokenOffers>;
  readonly tail: TailStore;
  readonly history: HistoryStore;
  readonly references: References;
  readonly askProvider: AskProvider;
  /** Those of the tail, by rank. */
  readonly coins: readonly CoinTokens[];
  readonly intervalSeconds: number;
  /** When prices are no longer asked for, and when nothing is any more; milliseconds since the epoch. */
  readonly pricesUntil: number;
  readonly deadline: number;
}

export interface PublishedTail {
  /** Coins that might be in the tail. */
  readonly coins: number;
  readonly rows: number;
  /** Of these, kept from the tail before. */
  readonly carried: number;
  /** Coins whose price is held back. */
  readonly held: number;
  /** Why not all coins were asked about, or no tail was published, if that is so. */
  readonly failure?: string | undefined;
  readonly past?: Past;
}

/** An older price is that of an earlier slot. */
const MAX_SAMPLE_AGE_MS = 3_600_000;

/**
 * Publishes the tail, stores its samples, and goes on with the past of its coins while there is time. Samples come first:
 * no tail makes up for one that is not stored. Throws what the stores throw, and if nothing could be asked for.
 */
export async function publishTail(options: TailOptions): Promise<PublishedTail> {
  const { client, tail, history, references, coins, intervalSeconds } = options;
  const takenAt = Date.now();
  const before = await tail.published();
  const asked = await askPrices(client, inTurn(coins, before.content), options.pricesUntil);
  const { source, failure } = asked;
  if (source === undefined) {
    if (failure) throw failure;
    return { coins: coins.length, rows: 0, carried: 0, held: 0 };
  }
  const prices = countedPrices(asked, coins, takenAt);
  refuseJump(prices, before.content);
  const ids = coins.map(({ id }) => id);
  const [lookedUp] = await Promise.allSettled([references.lookUp(history, ids, takenAt)]);
  const priced = await judged(prices, { ...options, before: before.content, takenAt });
  const taken = { takenAt, intervalSeconds, source, tokenSource: client.provider.name };
  await storeSamples(history, priced, taken);
  const rows = await rowsOf(history, priced, taken);
  const carried = carriedRows(before.content, coins, priced, references, takenAt);
  const isPublished = await published(tail, { ...taken, rows: [...rows, ...carried] }, before.etag);
  await references.save().catch(unlessQuicker);
  // Without a look at the history prices are judged all the same, by what else is known.
  if (lookedUp.status === 'rejected') throw lookedUp.reason;
  const past = await storePast({
    client,
    store: history,
    counted: priced.counted,
    deadline: options.deadline,
  });
  return {
    coins: coins.length,
    rows: rows.length + carried.length,
    carried: carried.length,
    held: priced.held.size,
    failure: isPublished ? failure?.message : 'another run was quicker',
    past,
  };
}

interface Taken extends Omit<Tail, 'rows'> {
  /** As samples are named by it. */
  readonly tokenSource: string;
}

/** Throws Implausible if a tenth of all prices jumped at once. */
function refuseJump(prices: ReadonlyMap<string, Counted | undefined>, before: Tail | undefined): void {
  const pairs = (before?.rows ?? []).flatMap(({ id, price }) => {
    const now = prices.get(id)?.price;
    return now === undefined ? [] : [[price, now] as const];
  });
  if (isJump(pairs))
    throw new Implausible('Jump', 'Not published: a tenth of all token prices jumped at once');
}

async function storeSamples(
  history: Pick<HistoryStore, 'putSamples'>,
  { counted }: Priced,
  { takenAt, intervalSeconds, source, tokenSource }: Taken,
): Promise<void> {
  const samples = [...counted]
    .filter(([, { at }]) => takenAt - at <= MAX_SAMPLE_AGE_MS)
    .map(([id, { price }]) => ({ id, price, volume: null, market_cap: null }));
  const bytes = encodeSamples(samples, { takenAt, intervalSeconds, source });
  await history.putSamples(bytes, takenAt, intervalSeconds * 1000, tokenSource);
}

async function rowsOf(
  history: Pick<HistoryStore, 'samples'>,
  { counted }: Priced,
  { takenAt, intervalSeconds, tokenSource }: Taken,
): Promise<TailRow[]> {
  const changesOf = await changesBefore(history, {
    takenAt,
    intervalMs: intervalSeconds * 1000,
    tokenSource,
  });
  return Array.from(counted, ([id, { price, at }]) => ({
    id,
    price,
    at,
    takenAt,
    changes: changesOf(id, price),
  }));
}

/** False if another run was quicker: what it published is as good. */
async function published(store: TailStore, tail: Tail, etag: string | undefined): Promise<boolean> {
  try {
    await store.publish(tail, etag);
    return true;
  } catch (error) {
    unlessQuicker(error);
    return false;
  }
}

/** What another run has written meanwhile is as good. */
function unlessQuicker(error: unknown): void {
  if (!(error instanceof ConditionFailed)) throw error;
}
