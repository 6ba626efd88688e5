import type { Received } from '../provider.ts';
import type { Ticker } from '../ticker.ts';
import { Implausible } from './implausible.ts';
import { isFar, JUMP } from './jump.ts';

/** The largest were $2.5e12 and $3e11 a day so far. */
const MAX_MARKET_CAP = 1e14;
const MAX_VOLUME = 1e12;
/** In percent: ten thousandfold in a day. */
const MAX_CHANGE = 1e6;
/** Below, nobody can tell false figures from small coins; what is larger moves totals and the tops of lists. */
const LARGE_VOLUME = 1e9;
/** A coin of which nothing else is known is none of the twenty largest. */
const MAX_UNKNOWN = 1e10;
/** Stablecoins are traded up to five times their market cap in a day. */
const MAX_TURNOVER = 10;
/** By then what the provider says is the truth, or what is known was false itself. */
const COMPARED_FOR_MS = 3_600_000;
/** What fell to less was rounded too much to tell from where. */
const LEAST_LEFT = 0.001;

/**
 * The figures that totals are made of and lists are sorted by, of a ticker without negative amounts. `held` is the last
 * good one. Throws Implausible.
 */
export function checkFigures(ticker: Ticker, held: Received<Ticker> | undefined): void {
  const { rank, quotes } = ticker;
  const isRecent = held && Date.now() - held.madeAt < COMPARED_FOR_MS;
  const before = isRecent ? held.data.quotes.USD : undefined;
  if (rank !== null && !(Number.isInteger(rank) && rank >= 0)) throw implausible('a rank', rank);
  checkChange(quotes.USD, before);
  checkMarketCap(ticker, before);
  checkVolume(quotes.USD, before);
}

type Usd = Ticker['quotes']['USD'];

function checkChange(usd: Usd, before: Usd | undefined): void {
  const { percent_change_24h: change } = usd;
  if (change !== null && !(change >= -100 && change <= MAX_CHANGE))
    throw implausible('a change of 24 hours', change);
  const [dayBefore, known] = [dayBeforeOf(usd), before && dayBeforeOf(before)];
  if (dayBefore && known && isFar(known, dayBefore))
    throw implausible('a change of 24 hours', change, `from ${dayBefore} USD, which was ${known}`);
}

/** The price a day before. */
function dayBeforeOf({ price, percent_change_24h: change }: Usd): number | undefined {
  const left = 1 + (change ?? Number.NaN) / 100;
  return price && left >= LEAST_LEFT ? price / left : undefined;
}

function checkMarketCap(
  { circulating_supply: circulating, total_supply, max_supply, quotes }: Ticker,
  before: Usd | undefined,
): void {
  const { market_cap: cap } = quotes.USD;
  const supply = supplyOf(quotes.USD);
  if (!cap || !supply) return;
  const known = circulating || (before && supplyOf(before));
  const most = Math.max(total_supply ?? 0, max_supply ?? 0) * JUMP;
  if (known && isFar(known, supply))
    throw implausible('a market cap', cap, `which is not that of ${known} coins`);
  if (most && supply > most) throw implausible('a market cap', cap, `which is more than that of all coins`);
  if (cap > (known || most ? MAX_MARKET_CAP : MAX_UNKNOWN)) throw implausible('a market cap', cap);
}

/** The coins that a market cap is that of. */
function supplyOf({ price, market_cap }: Usd): number | undefined {
  return price && market_cap ? market_cap / price : undefined;
}

function checkVolume({ volume_24h: volume, market_cap: cap }: Usd, before: Usd | undefined): void {
  if (!volume || volume <= LARGE_VOLUME) return;
  const known = before?.volume_24h ? before.volume_24h * JUMP : (cap ?? 0) * MAX_TURNOVER;
  const most = known ? Math.min(Math.max(known, LARGE_VOLUME), MAX_VOLUME) : MAX_UNKNOWN;
  if (volume > most) throw implausible('a volume', volume);
}

function implausible(what: string, figure: number | null, why?: string): Implausible {
  return new Implausible('Figure', `${what} of ${figure}${why ? `, ${why}` : ''}`);
}
