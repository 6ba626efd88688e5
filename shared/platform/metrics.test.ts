import { beforeEach, describe, expect, it } from 'vitest';
import { count, type RequestCount, recordValue, takeMetrics } from './metrics.ts';

beforeEach(() => {
  takeMetrics('left over');
});

/** The next line, read. */
function metricsOf(request?: RequestCount, now?: number): Record<string, unknown> {
  return JSON.parse(takeMetrics('marketdata-prod', request, now) ?? '{}');
}

const request = { route: 'marketdata/ticker', status: '2xx' } as const;

describe('metrics', () => {
  it('have route and status as dimensions of a request, and no dimensions otherwise', () => {
    count('CacheMisses');
    count('UpstreamOk');
    recordValue('UpstreamLatency', 87);

    expect(metricsOf(request, 1_700_000_000_000)).toEqual({
      _aws: {
        Timestamp: 1_700_000_000_000,
        CloudWatchMetrics: [
          {
            Namespace: 'marketdata-prod',
            Dimensions: [['route', 'status']],
            Metrics: [{ Name: 'Requests', Unit: 'Count' }],
          },
          {
            Namespace: 'marketdata-prod',
            Dimensions: [[]],
            Metrics: [
              { Name: 'CacheMisses', Unit: 'Count' },
              { Name: 'UpstreamOk', Unit: 'Count' },
              { Name: 'UpstreamLatency', Unit: 'Milliseconds' },
            ],
          },
        ],
      },
      route: 'marketdata/ticker',
      status: '2xx',
      Requests: 1,
      CacheMisses: 1,
      UpstreamOk: 1,
      UpstreamLatency: [87],
    });
  });

  it('count a 500 by route and version too', () => {
    const failed = { route: 'marketdata/ticker', status: '5xx', version: '12' } as const;

    expect(metricsOf(failed)).toMatchObject({
      _aws: {
        CloudWatchMetrics: [
          { Dimensions: [['route', 'status']], Metrics: [{ Name: 'Requests', Unit: 'Count' }] },
          { Dimensions: [['route', 'version']], Metrics: [{ Name: 'OwnFaults', Unit: 'Count' }] },
        ],
      },
      ...failed,
      Requests: 1,
      OwnFaults: 1,
    });
    expect(metricsOf({ ...failed, version: '13' })).toMatchObject({ version: '13' });
  });

  it('start anew with each line, and print none without a request or a number', () => {
    const lines = [1, 2].map((hits) => {
      count('CacheHits', hits);
      recordValue('RegistryAge', hits * 60);
      return metricsOf(request, hits);
    });

    expect(lines).toMatchObject([
      { _aws: { Timestamp: 1 }, CacheHits: 1, RegistryAge: [60] },
      { _aws: { Timestamp: 2 }, CacheHits: 2, RegistryAge: [120] },
    ]);
    const next = metricsOf({ route: 'marketdata/ohlcv', status: '5xx' });
    expect(next).toMatchObject({ route: 'marketdata/ohlcv', status: '5xx' });
    expect(next).not.toHaveProperty('CacheHits');
    expect(takeMetrics('n')).toBeUndefined();
    recordValue('SnapshotAge', 12); // of a scheduled function
    expect(metricsOf()).toEqual({ _aws: expect.anything(), SnapshotAge: [12] });
  });

  it('have no more values than the format allows, and only those that JSON knows', () => {
    for (let n = 0; n < 150; n += 1) recordValue('UpstreamLatency', n);
    recordValue('RegistryAge', Number.NaN);

    const metrics = metricsOf(request);
    expect(metrics.UpstreamLatency).toHaveLength(100);
    expect(metrics).not.toHaveProperty('RegistryAge');
  });
});
