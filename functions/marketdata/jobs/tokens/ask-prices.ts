import { ApiError } from '../../../../shared/http/errors.ts';
import { UnusableAnswer } from '../../../../shared/marketdata/provider.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import type { TokenPrice } from '../../../../shared/marketdata/sources/token.ts';

/** A coin with its contracts, `chain:address`. */
export interface CoinTokens {
  readonly id: string;
  readonly tokens: readonly string[];
}

export interface Asked {
  /** By coin: what the source says of its tokens; those that were not asked about are missing. */
  readonly prices: ReadonlyMap<string, readonly TokenPrice[]>;
  readonly source: string | undefined;
  /** The last failure, if there was one. */
  readonly failure: ApiError | undefined;
}

const TOKENS_A_REQUEST = 100;
/** The source's pace is the limit, and not how long it takes to answer. */
const AT_A_TIME = 4;
const FAILURES_IN_A_ROW = 3;
const REQUEST_MS = 10_000;

/** Asks for the coins' prices until the deadline (ms since the epoch), or until the source fails time and again. */
export async function askPrices(
  client: ProviderClient<'tokenPrices'>,
  coins: readonly CoinTokens[],
  deadline: number,
): Promise<Asked> {
  const prices = new Map<string, TokenPrice[]>();
  const batches = batchesOf(coins).values();
  let source: string | undefined;
  let failure: ApiError | undefined;
  let failuresInARow = 0;

  async function ask(batch: readonly CoinTokens[]): Promise<void> {
    try {
      const request = client.provider.tokenPrices(batch.flatMap(({ tokens }) => tokens));
      const answer = await client.fetch(request, Math.min(deadline, Date.now() + REQUEST_MS));
      source = answer.source;
      failuresInARow = 0;
      const byToken = new Map(answer.data.map((price) => [price.token, price]));
      for (const { id, tokens } of batch)
        prices.set(
          id,
          tokens.flatMap((token) => byToken.get(token) ?? []),
        );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure = error;
      // What cannot be used says nothing of the next answer; a limit does.
      if (!(error instanceof UnusableAnswer)) failuresInARow += 1;
      if (error.statusCode === 429) failuresInARow = FAILURES_IN_A_ROW;
    }
  }
  async function work(): Promise<void> {
    for (const batch of batches) {
      if (Date.now() >= deadline || failuresInARow >= FAILURES_IN_A_ROW) return;
      await ask(batch);
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return { prices, source, failure };
}

/** As many coins together as a request takes; all tokens of a coin in the same one, as many as that takes. */
function batchesOf(coins: readonly CoinTokens[]): CoinTokens[][] {
  const batches: CoinTokens[][] = [];
  let room = 0;
  for (const { id, tokens: all } of coins) {
    const tokens = all.slice(0, TOKENS_A_REQUEST);
    if (tokens.length > room) {
      batches.push([]);
      room = TOKENS_A_REQUEST;
    }
    batches.at(-1)?.push({ id, tokens });
    room -= tokens.length;
  }
  return batches;
}
