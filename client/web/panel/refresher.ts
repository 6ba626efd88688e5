import type { KnownTicker, MissingTicker } from '../../commands/tickers.ts';
import type { Card } from './card.ts';
import { type Asked, askedAt, dueAt, neverAsked } from './due.ts';

/** A look at the clock, which moves ages on. */
const TICK_MS = 5000;
/** Charts that are asked for at one look: with twenty cards the limit of 100 a minute stays far away. */
const MAX_CHARTS = 4;

export interface RefresherOptions {
  readonly cards: () => readonly Card[];
  /** Whether a card is on the screen. */
  readonly isSeen: (card: Card) => boolean;
  readonly ticker: (id: string) => KnownTicker | undefined;
  /** Asks for the prices of several coins in one request. */
  readonly askAll: (ids: readonly string[]) => Promise<readonly (KnownTicker | MissingTicker)[]>;
  /** Asks for the price of one, which the request for several does not have. */
  readonly ask: (id: string) => Promise<KnownTicker>;
}

/**
 * Keeps cards as new as they can be: prices of all of them in one request, candles of those that are seen, each when its
 * lifetime is over. Nothing is asked for while the page is hidden or
 * offline, and at once when it comes back.
 */
export function keepFresh({ cards, isSeen, ticker, askAll, ask }: RefresherOptions): void {
  const prices = new Map<string, Asked>();
  const charts = new WeakMap<Card, Asked>();

  function tick(): void {
    if (document.hidden) return;
    for (const card of cards()) card.tick();
    if (!navigator.onLine) return; // what cannot come is no failure, after which it would be asked for later
    void refreshPrices();
    refreshCharts();
  }

  async function refreshPrices(): Promise<void> {
    const now = Date.now();
    const priced = cards().flatMap((card) => idsOf(card).map((id) => ({ id, card })));
    const due = priced.filter(({ id }) => now >= dueAt(freshUntil(id), prices.get(id) ?? neverAsked));
    const ids = [...new Set(due.map(({ id }) => id))];
    if (ids.length === 0) return;
    for (const id of ids) prices.set(id, { at: now, failures: prices.get(id)?.failures ?? 0 });
    const answers = await askAll(ids).catch(() => []);
    const missing = ids.filter((_id, index) => {
      const answer = answers[index];
      return answer !== undefined && 'error' in answer;
    });
    const seen = new Set(due.filter(({ card }) => isSeen(card)).map(({ id }) => id));
    const asked = await Promise.all(missing.filter((id) => seen.has(id)).map(oneOf));
    for (const [index, id] of ids.entries()) {
      const answer = answers[index];
      const isAnswered = (answer !== undefined && !('error' in answer)) || asked.includes(id);
      prices.set(id, askedAt(now, prices.get(id) ?? neverAsked, isAnswered));
    }
  }

  async function oneOf(id: string): Promise<string | undefined> {
    return await ask(id).then(
      () => id,
      () => undefined,
    );
  }

  function freshUntil(id: string): number {
    return ticker(id)?.provenance.freshUntil ?? 0;
  }

  function refreshCharts(): void {
    const now = Date.now();
    const due = cards().filter((card) => {
      const result = card.result();
      if (!result || card.isBusy() || !isSeen(card)) return false;
      const ends = [result, ...result.compared].map(({ provenance }) => provenance.freshUntil);
      return now >= dueAt(Math.min(...ends), charts.get(card) ?? neverAsked);
    });
    for (const card of due.slice(0, MAX_CHARTS)) {
      const before = charts.get(card) ?? neverAsked;
      charts.set(card, { ...before, at: now });
      void card.refresh().then((isAnswered) => charts.set(card, askedAt(now, before, isAnswered)));
    }
  }

  setInterval(tick, TICK_MS);
  document.addEventListener('visibilitychange', tick);
  addEventListener('online', tick);
}

/** The coins whose prices a card shows; prices in bitcoin have no ticker. */
function idsOf(card: Card): readonly string[] {
  const result = card.result();
  if (!result || result.data.quote === 'btc') return [];
  return [result, ...result.compared].map(({ coin }) => coin.id);
}
