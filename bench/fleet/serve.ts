/** One request to one container, answered as the handlers of tickers and candles do. */
import { ApiError } from '../../shared/http/errors.ts';
import { currentTicker, type Elsewhere } from '../../shared/marketdata/answer.ts';
import type { Candle } from '../../shared/marketdata/candles.ts';
import { history } from '../../shared/marketdata/history.ts';
import { priceIn } from '../../shared/marketdata/running.ts';
import { upstreamOf } from '../../shared/marketdata/upstream.ts';
import type { Promises } from './promises.ts';
import type { Counted, Tally } from './tally.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { priceAt } from './walk.ts';
import type { Request } from './workload.ts';
import { symbolOf } from './workload.ts';
import type { Container } from './world.ts';

type Known = Exclude<Request, { kind: 'unknown' }>;

const FRESH_MS = 600_000;
const TIME_TO_ANSWER_MS = 14_500;

export interface Serving {
  readonly clock: VirtualClock;
  readonly promises: Promises;
  readonly staleWaitMs: number;
  /** Coins that are still traded. */
  readonly active: number;
  readonly measuredFrom: number;
  /** Tells what has come of a request of the measured day. */
  readonly tell: (request: Known, change: (tally: Tally) => void) => void;
}

export async function serve(request: Known, container: Container, serving: Serving): Promise<void> {
  const { clock, promises, measuredFrom, tell } = serving;
  const askedAt = clock.now();
  const isMeasured = askedAt >= measuredFrom;
  const isPromised = promises.holds(request, askedAt);
  const note = (change: (tally: Tally) => void) => isMeasured && tell(request, change);
  const noteOne = (name: Counted, count = 1) =>
    note((tally) => {
      tally[name] += count;
    });
  if (isPromised) noteOne('promised');
  try {
    const { stale } = await (request.kind === 'ticker'
      ? ticker(request, container, serving, note)
      : chart(request, container, serving, noteOne));
    if (!stale) promises.make(request, askedAt);
    noteOne(stale ? 'stale' : 'fresh');
    note((tally) => void tally.tookMs.push(clock.now() - askedAt));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    noteOne(error.statusCode === 429 ? 'refused' : error.statusCode === 404 ? 'unknown' : 'failed');
    if (isPromised) noteOne('broken');
  }
}

async function ticker(
  { id, coin }: Known,
  { client, spare, holder, own, tail }: Container,
  { clock, staleWaitMs, active }: Serving,
  note: (change: (tally: Tally) => void) => void,
) {
  const isActive = coin < active;
  const snapshot = await holder?.current();
  let priced: Elsewhere | undefined;
  const found = await currentTicker(isActive || !own ? client : spare, id, {
    freshMs: FRESH_MS,
    deadline: clock.now() + TIME_TO_ANSWER_MS,
    staleWaitMs,
    snapshot,
    isActive,
    elsewhere: async () => {
      const entry = { id, name: id, symbol: symbolOf(coin), rank: coin + 1 };
      priced = isActive ? await tail?.ticker(entry) : undefined;
      return priced;
    },
  });
  const age = (clock.now() - found.madeAt) / 1000;
  note(({ ages, publishedAges }) => {
    ages.push(age);
    if (priced || snapshot?.ticker(id)) publishedAges.push(age);
  });
  return found;
}

async function chart(
  request: Extract<Known, { kind: 'ohlcv' }>,
  { client, spare, holder, own }: Container,
  { clock, staleWaitMs, active }: Serving,
  noteOne: (name: Counted, count?: number) => void,
) {
  const { id, quote } = request.query;
  noteOne('charts');
  const snapshot = own && (await holder?.current());
  const priceNow = async () => priceAt(request.coin, clock.now());
  const found = await history(async () => upstreamOf(client, spare, priceNow), request.query, {
    deadline: clock.now() + TIME_TO_ANSWER_MS,
    staleWaitMs,
    isActive: request.coin < active,
    price: async () => priceIn(await holder?.current(), id, quote),
    own: own && { store: own, snapshot },
  });
  if (found.quality === 'exact') noteOne('exact');
  noteOne('badWicks', found.candles.filter(hasBadWick).length);
  return found;
}

function hasBadWick({ open, high, low, close }: Candle): boolean {
  return high < Math.max(open, close) || low > Math.min(open, close);
}
