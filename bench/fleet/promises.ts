import { HOUR_MS } from '../../shared/platform/time.ts';
import type { Request } from './workload.ts';

/** For so long after it was fresh an answer stands in for a newer one (`shared/coinpaprika`). */
const KEPT_MS = { ticker: 12 * HOUR_MS, ohlcv: 7 * 24 * HOUR_MS };

/** All that the fleet has been given, and so should be able to answer whatever happens. */
export class Promises {
  readonly #madeAt = new Map<string, number>();

  make(request: Request, now: number): void {
    this.#madeAt.set(keyOf(request), now);
  }

  holds(request: Request, now: number): boolean {
    const madeAt = this.#madeAt.get(keyOf(request));
    return request.kind !== 'unknown' && madeAt !== undefined && now < madeAt + KEPT_MS[request.kind];
  }
}

function keyOf(request: Request): string {
  if (request.kind !== 'ohlcv') return `${request.kind} ${request.id}`;
  const { base, from, to, stepMs } = request.query.window;
  return `${request.id} ${base} ${(to - from) / stepMs}`;
}
