import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../../shared/http/errors.ts';
import type { ProviderRequest, Received } from '../../../../shared/marketdata/provider.ts';
import { coinbase } from '../../../../shared/providers/coinbase.ts';
import { type ExchangeClient, Lane } from './lane.ts';

const query = {
  market: 'BTC-USD',
  window: { base: '24h', stepMs: 86_400_000, from: 0, to: 86_400_000, closed: true },
} as const;

/** A lane whose exchange is never asked, because the turn of a request comes after so long. */
function laneWithTurnIn(waitMs: number): Lane {
  const fetch = vi.fn(async <T>(_request: ProviderRequest<T>, deadline: number): Promise<Received<T>> => {
    if (deadline - Date.now() < waitMs) throw new ApiError(429, 'too late');
    throw new ApiError(404, 'not found');
  });
  return new Lane({ provider: coinbase, fetch } as unknown as ExchangeClient); // all that a lane uses of one
}

describe('the lane of an exchange', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('goes on after a request that had no time left for its turn', async () => {
    const lane = laneWithTurnIn(1_000);
    await expect(lane.ask(query, Date.now() + 500)).rejects.toThrow('too late');
    expect(lane.stopped).toBeUndefined();
    await expect(lane.ask(query, Date.now() + 60_000)).rejects.toThrow('not found');
  });

  it('ends with a refusal that came in spite of all the time there is', async () => {
    const lane = laneWithTurnIn(20_000);
    await expect(lane.ask(query, Date.now() + 60_000)).rejects.toThrow('too late');
    expect(lane.stopped).toBe('too late');
  });
});
