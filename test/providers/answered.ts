/** What a provider's answer comes to behind the gate, without a server. */
import { afterEach, beforeEach, vi } from 'vitest';
import { gatedExchange } from '../../shared/marketdata/gate/gated.ts';
import type { ProviderRequest } from '../../shared/marketdata/provider.ts';
import { receivedFrom } from '../../shared/providers/responses.ts';
import type { Exchange } from '../../shared/providers/sources.ts';

export interface GivenAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or the body as it is. */
  readonly body: unknown;
}

/** All tests of a file are at that time. */
export function useTime(now: number): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Reads as the client does: the data, or what the client throws. */
export function answered<T>(
  provider: Exchange,
  requestFor: (offered: Exchange) => ProviderRequest<T>,
  { status = 200, headers = {}, body }: GivenAnswer,
): T {
  const request = requestFor(gatedExchange(provider));
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(text),
  };
  const meant = { ...answer, status: provider.statusOf?.(answer) ?? status };
  return receivedFrom(provider, request, meant, Date.now(), {}).data;
}
