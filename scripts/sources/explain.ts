import {
  type Candidate,
  ENOUGH,
  type Loss,
  type MarketState,
} from '../../shared/marketdata/sources/source-map.ts';
import { symbolKey } from '../../shared/registry/fold.ts';
import { isoTime } from './print.ts';
import type { Sources } from './read.ts';

/** Prices and volumes in USD; null: none that is known. */
interface ExplainedCandidate {
  readonly coin: string;
  readonly rank: number | null;
  readonly price: number | null;
  readonly volume: number | null;
  readonly says: string;
}

export interface ExplainedMarket {
  readonly exchange: string;
  readonly market: string;
  readonly price: number | null;
  readonly volume: number | null;
  readonly says: string;
  readonly candidates: readonly ExplainedCandidate[];
}

export interface Explanation {
  readonly asked: string;
  readonly symbols: readonly string[];
  readonly markets: readonly ExplainedMarket[];
}

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

const losses: Readonly<Record<Loss, string>> = {
  far: `was more than 5 % off in ${ENOUGH.far} snapshots in a row`,
  unconfirmed: `did not agree in any of ${ENOUGH.lasting} snapshots`,
  closed: 'was taken from it when it closed',
  inactive: 'is traded no more',
  moved: 'was a copy of the one that has it',
};

/** All markets of the symbol of a coin, or of a symbol. */
export function explained({ map, tickers }: Sources, asked: string): Explanation {
  const ticker = tickers.get(asked);
  const ofCoin = map.state.exchanges.flatMap(({ markets }) =>
    markets.filter(({ mapped }) => mapped?.coin === asked),
  );
  const symbols = ticker ? [ticker.symbol] : ofCoin.length > 0 ? ofCoin.map(({ base }) => base) : [asked];
  const keys = new Set(symbols.map(symbolKey));
  const markets = map.state.exchanges.flatMap(({ exchange, markets: all }) =>
    all.filter(({ base }) => keys.has(symbolKey(base))).map((market) => marketOf(exchange, market, tickers)),
  );
  return { asked, symbols: [...new Set(symbols)], markets };
}

function marketOf(exchange: string, market: MarketState, tickers: Sources['tickers']): ExplainedMarket {
  const candidates = market.candidates.map((one): ExplainedCandidate => {
    const { rank = null, quotes } = tickers.get(one.coin) ?? {};
    const { price = null, volume_24h: volume = null } = quotes?.USD ?? {};
    return { coin: one.coin, rank, price, volume, says: candidateText(one) };
  });
  return {
    ...{ exchange, market: market.market },
    ...{ price: market.last?.price ?? null, volume: market.last?.volume ?? null },
    says: marketText(market),
    candidates: candidates.toSorted((a, b) => (a.rank || Infinity) - (b.rank || Infinity)),
  };
}

function marketText({ mapped, lost, isOpen, last, candidates }: MarketState): string {
  const before = lost ? `; ${lost.coin} had it until ${isoTime(lost.at)}, and ${losses[lost.why]}` : '';
  if (mapped) return `trades ${mapped.coin} since ${isoTime(mapped.since)}${before}`;
  if (!isOpen) return `is closed${before}`;
  if (candidates.length === 0) return `trades a symbol that no coin of the snapshot has${before}`;
  if (!last) return `told nothing that counts the last time${before}`;
  const near = candidates.some(({ verdict }) => verdict === 'agrees');
  const why = near
    ? `no coin has agreed for long enough: ${ENOUGH.agreed} snapshots, and ${ENOUGH.moreInDoubt} more for each better-ranked one that may be meant`
    : 'no coin of its symbol agrees with it';
  return `trades no coin that is known: ${why}${before}`;
}

function candidateText({ verdict, agreed, far, since }: Candidate): string {
  const from = `since ${isoTime(since)}`;
  switch (verdict) {
    case 'agrees':
      return `agrees within 2 % ${from}, ${times(agreed, ENOUGH.lasting)} in a row`;
    case 'volume':
      return `agrees within 2 %, but the market trades more of it than everybody does, ${from}`;
    case 'differs':
      return `is more than 2 % off ${from}`;
    case 'far':
      return `is more than 5 % off ${from}, ${times(far, ENOUGH.far)} in a row`;
    case 'unknown':
      return `cannot be compared ${from}: no price or volume of its own, no rank, or not active`;
  }
}

/** Beyond the most that matters nobody counts. */
function times(count: number, most: number): string {
  return count < most ? `${count} times` : `${most} times or more`;
}

/** For people: a paragraph for each market. */
export function explanationText({ asked, symbols, markets }: Explanation): string {
  if (markets.length === 0)
    return `No exchange has a market of ${symbols.join(' or ')} that is told in USD (${asked})`;
  return markets
    .map(({ exchange, market, says, candidates, ...figures }) => {
      const lines = candidates.map(
        ({ coin, rank, says: text, ...own }) =>
          `  ${coin} (rank ${rank ?? 'none'}, ${figuresText(own)}) ${text}`,
      );
      return [`${exchange} ${market} (${figuresText(figures)}) ${says}`, ...lines].join('\n');
    })
    .join('\n\n');
}

function figuresText({
  price,
  volume,
}: {
  readonly price: number | null;
  readonly volume: number | null;
}): string {
  const told = price === null ? 'no price' : `$${number.format(price)}`;
  return `${told}, ${volume === null ? 'no volume' : `$${number.format(volume)} in 24 hours`}`;
}
