import { describe, expect, it } from 'vitest';
import { elapsedMs, HOUR_MS, MAX_CLOCK_LEAD_MS, MAX_INSTANCE_SKEW_MS } from './time.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

describe('the time since a moment', () => {
  it('is the difference of the clock', () => {
    expect(elapsedMs(now - HOUR_MS, now)).toBe(HOUR_MS);
    expect(elapsedMs(Number.NEGATIVE_INFINITY, now)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is none if an instance whose clock is a little ahead noted the moment', () => {
    expect(elapsedMs(now + MAX_INSTANCE_SKEW_MS, now)).toBe(0);
    expect(elapsedMs(now + MAX_CLOCK_LEAD_MS, now, MAX_CLOCK_LEAD_MS)).toBe(0);
  });

  it('is longer than any limit after the clock was set back', () => {
    expect(elapsedMs(now + MAX_INSTANCE_SKEW_MS + 1, now)).toBe(Number.POSITIVE_INFINITY);
    expect(elapsedMs(now + HOUR_MS, now)).toBe(Number.POSITIVE_INFINITY);
  });
});
