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
  it('tell of a request with its route and status as dimensions, and of the rest without any', () => {
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

  it('tell of an answer 500 by route and version too', () => {
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

  it('are told once: the next line begins at nothing', () => {
    count('CacheHits', 3);

    expect(metricsOf(request)).toMatchObject({ CacheHits: 3 });
    expect(metricsOf(request)).not.toHaveProperty('CacheHits');
  });

  it('have the numbers of each line, also where it tells of the same as one before', () => {
    const lines = [1, 2].map((hits) => {
      count('CacheHits', hits);
      recordValue('RegistryAge', hits * 60);
      return metricsOf(request, hits);
    });

    expect(lines).toMatchObject([
      { _aws: { Timestamp: 1 }, CacheHits: 1, RegistryAge: [60] },
      { _aws: { Timestamp: 2 }, CacheHits: 2, RegistryAge: [120] },
    ]);
    expect(metricsOf({ route: 'marketdata/ohlcv', status: '5xx' })).toMatchObject({
      route: 'marketdata/ohlcv',
      status: '5xx',
    });
  });

  it('make no line where there is neither a request nor a number', () => {
    expect(takeMetrics('n')).toBeUndefined();
  });

  it('of a scheduled function are told without a request', () => {
    recordValue('SnapshotAge', 12);

    const metrics = metricsOf();
    expect(metrics).toMatchObject({ SnapshotAge: [12] });
    expect(metrics).not.toHaveProperty('Requests');
  });

  it('hold no more values than the format allows, and none that JSON has not', () => {
    for (let n = 0; n < 150; n += 1) recordValue('UpstreamLatency', n);
    recordValue('RegistryAge', Number.NaN);

    const metrics = metricsOf(request);
    expect(metrics.UpstreamLatency).toHaveLength(100);
    expect(metrics).not.toHaveProperty('RegistryAge');
  });
});
