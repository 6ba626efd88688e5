import type { DayRates, ProviderClient, Received } from '../../../../shared/marketdata/provider.ts';
import { ratesLastUntil } from '../../../../shared/marketdata/rates.ts';
import { SNAPSHOT_PREFIX } from '../../../../shared/marketdata/store/current-snapshot.ts';
import { environment } from '../../../../shared/platform/environment.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import { objectsOf } from '../../../../shared/platform/objects.ts';
import { countPublished, scheduled } from '../../../../shared/platform/scheduled.ts';
import { type RatesOffers, ratesClientsFor } from '../../../../shared/providers/sources.ts';
import { bucketIn } from '../bucket-in.ts';
import { addToPast, type PastSource } from './past.ts';
import { type PublishedRates, publishRates } from './publish.ts';

interface Result extends Omit<PublishedRates, 'rates' | 'refused'> {
  /** Why the other currencies have no newer rates: the source's name, and its error; absent if they have. */
  readonly failed?: readonly string[];
  /** Why the rates of past days are not complete; absent if they are. */
  readonly past?: string;
}

/** The time limit for the rates of the day, with their retry. */
const DAY_TIME_MS = 10_000;
/** The time for requests, of the function's 300 s, so that a group that was fetched is also stored. */
const TIME_MS = 240_000;

/** The container's clients, which remember each source's `Retry-After`. */
let clients: ReturnType<typeof ratesClientsFor> | undefined;

/**
 * Publishes the latest rates of both sources. If the reference rates cannot be had, the run fails after the others are published, so
 * that it is repeated. Throws also if neither source has rates that can be used.
 */
export const handler = scheduled(() =>
  countPublished('RatesPublished', run, ({ day }) => Date.now() < ratesLastUntil(day)),
);

async function run(): Promise<Result> {
  const settings = environment();
  const deadline = Date.now() + TIME_MS;
  const bucket = objectsOf(bucketIn(settings, 'SNAPSHOT_BUCKET'), SNAPSHOT_PREFIX);
  clients ??= ratesClientsFor(settings);
  const { reference, blend } = clients;
  const [fetchedReference, fetchedBlend] = await Promise.all([latestOf(reference), latestOf(blend)]);
  const { rates, refused, ...published } = await publishRates(
    { received: fetchedReference, name: reference.provider.name },
    { received: fetchedBlend, name: blend.provider.name },
    bucket,
  );
  const pastSources = {
    reference: refused.reference ? undefined : pastSource(reference, fetchedReference, deadline),
    blend: refused.blend ? undefined : pastSource(blend, fetchedBlend, deadline),
  };
  // The day's rates matter more, and the next run tries again.
  const past = await addToPast(rates, pastSources, bucket, deadline).catch(messageOf);
  if (refused.reference) throw refused.reference;
  const failed = refused.blend && [`${blend.provider.name}: ${messageOf(refused.blend)}`];
  return { ...published, ...(failed && { failed }), ...(past !== undefined && { past }) };
}

type Client = ProviderClient<RatesOffers>;

/** The rates, or the error. */
function latestOf({ fetch, provider }: Client): Promise<Received<DayRates> | Error> {
  return fetch(provider.rates(), Date.now() + DAY_TIME_MS).catch((error: unknown) =>
    error instanceof Error ? error : new Error(messageOf(error)),
  );
}

/** Undefined for a source that has just failed. */
function pastSource(
  { fetch, provider }: Client,
  received: Received<DayRates> | Error,
  deadline: number,
): PastSource | undefined {
  if (received instanceof Error) return undefined;
  const { source, data } = received;
  return {
    source,
    codes: new Set(Object.keys(data.rates)),
    fetch: async (query) => (await fetch(provider.pastRates(query), deadline)).data,
  };
}
