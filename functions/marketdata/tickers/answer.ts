import { publicFor } from '../../../shared/http/cache-control.ts';
import { jointOrigin } from '../../../shared/marketdata/origin.ts';
import { setOriginHeaders } from '../../../shared/marketdata/provenance.ts';
import type { CurrentTicker } from '../../../shared/marketdata/serve/current-ticker.ts';

/** As the route's schema has it; `asked` is the symbol, if that was asked for. */
export type Item = ReturnType<typeof foundItem> | Miss;

export interface Miss {
  readonly asked?: string;
  readonly id?: string;
  readonly error: string;
}

export function foundItem(found: CurrentTicker, asked?: string) {
  const { ticker, quality, source, madeAt } = found;
  return {
    ...(asked !== undefined && { asked }),
    id: ticker.id,
    ticker,
    quality,
    source,
    dataTime: new Date(madeAt).toISOString(),
  };
}

/**
 * Tells of all tickers together: every source, the weakest quality, the time of the oldest, and until when caches may
 * give it: until the first is out of date. Without a ticker, nothing but that caches may not.
 */
export function setHeadersOfAll(headers: Record<string, string>, tickers: readonly CurrentTicker[]): void {
  const origin = jointOrigin(tickers);
  if (origin) setOriginHeaders(headers, origin);
  else headers['cache-control'] = publicFor(0);
}
