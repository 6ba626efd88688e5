import { describe, expect, it } from 'vitest';
import { setSourceHeaders } from './provenance.ts';

const NOW = 1_000_000_000;

function told({ madeAt = NOW, freshUntil = NOW, stale = false, quality = 'exact' as 'exact' | 'derived' }) {
  const headers: Record<string, string> = {};
  setSourceHeaders(headers, { madeAt, source: 'coinpaprika', freshUntil, stale }, quality, NOW);
  return headers;
}

describe('the headers of an answer', () => {
  it('tell when the provider made it, and its lifetime from now, past which no cache may give it', () => {
    expect(told({ madeAt: NOW - 90_500, freshUntil: NOW + 20_999 })).toEqual({
      'x-data-source': 'coinpaprika',
      'x-data-quality': 'exact',
      'x-data-time': '1970-01-12T13:45:09.500Z',
      'cache-control': 'public, max-age=20, must-revalidate, stale-if-error=0',
    });
  });

  it('say that candles were derived', () => {
    expect(told({ quality: 'derived' })).toMatchObject({ 'x-data-quality': 'derived' });
  });

  it.each(['exact', 'derived'] as const)(
    'say stale, and allow no caching, of what stands in for a failure: %s',
    (quality) => {
      expect(told({ stale: true, freshUntil: NOW + 20_000, quality })).toMatchObject({
        'x-data-quality': 'stale',
        'cache-control': 'public, max-age=0, must-revalidate, stale-if-error=0',
      });
    },
  );

  it('have no negative lifetime where clocks disagree', () => {
    expect(told({ madeAt: NOW + 5_000, freshUntil: NOW - 5_000 })).toMatchObject({
      'x-data-time': '1970-01-12T13:46:45.000Z',
      'cache-control': 'public, max-age=0, must-revalidate, stale-if-error=0',
    });
  });
});
