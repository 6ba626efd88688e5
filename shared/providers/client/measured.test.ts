import { beforeEach, describe, expect, it } from 'vitest';
import { takeMetrics } from '../../platform/metrics.ts';
import { type HttpAnswer, type Transport, TransportError } from '../../platform/transport.ts';
import { measured } from './measured.ts';

beforeEach(() => {
  takeMetrics('left over');
});

const answering = (status: number): Transport => ({
  get: async (): Promise<HttpAnswer> => ({ status, headers: {}, body: Buffer.alloc(0) }),
});
const isLimit = ({ status }: HttpAnswer) => status === 429;
const failing = (error: Error): Transport => ({ get: () => Promise.reject(error) });

function clock(...times: number[]): () => number {
  return () => times.shift() ?? 0;
}

describe('a measured transport', () => {
  it.each([
    [200, 'UpstreamOk'],
    [400, 'UpstreamRefused'],
    [402, 'UpstreamRefused'],
    [404, 'UpstreamNotFound'],
    [429, 'UpstreamRateLimited'],
    [403, 'UpstreamFailed'],
    [503, 'UpstreamFailed'],
  ])('counts a %i as %s, with its time in milliseconds', async (status, name) => {
    const answer = await measured(answering(status), isLimit, clock(1_000, 1_087.4)).get('/x', 1_000);

    expect(answer.status).toBe(status);
    expect(JSON.parse(takeMetrics('n') ?? '')).toMatchObject({ [name]: 1, UpstreamLatency: [87] });
  });

  it('counts what is a limit in the provider’s own way as one', async () => {
    await measured(answering(402), () => true, clock(0, 5)).get('/x', 1_000);

    expect(JSON.parse(takeMetrics('n') ?? '')).toMatchObject({ UpstreamRateLimited: 1 });
  });

  it.each([
    [new TransportError('timeout', 'no answer'), 'UpstreamTimedOut'],
    [new TransportError('connection', 'refused'), 'UpstreamFailed'],
  ])('counts %s as %s and hands it on', async (error, name) => {
    await expect(measured(failing(error), isLimit, clock(0, 5)).get('/x', 1_000)).rejects.toBe(error);

    expect(JSON.parse(takeMetrics('n') ?? '')).toMatchObject({ [name]: 1, UpstreamLatency: [5] });
  });

  it('counts nothing for a request that was refused before it was made', async () => {
    const error = new Error('not paid for');
    await expect(measured(failing(error), isLimit, clock(0, 5)).get('/x', 1_000)).rejects.toBe(error);

    expect(takeMetrics('n')).toBeUndefined();
  });
});
