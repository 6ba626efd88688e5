import { describe, expect, it } from 'vitest';
import { findByPath } from './path-pattern.ts';

const table = { '/coins/{id}': 'coin', '/coins/list': 'list', '/coins/{id}/chart/{days}': 'chart' };

describe('a path', () => {
  it.each([
    ['/coins/list', 'list', {}],
    ['/coins/btc', 'coin', { id: 'btc' }],
    ['/coins/战旗/chart/7', 'chart', { id: '战旗', days: '7' }],
    ['/coins/list/chart/1', 'chart', { id: 'list', days: '1' }],
  ])('%s belongs to %s', (path, found, values) => {
    expect(findByPath(table, path)).toEqual({ found, values });
  });

  it.each(['/coins', '/coins/', '/coins/a/b', '/coins//chart/1', '', '/'])(
    '%j belongs to nothing',
    (path) => {
      expect(findByPath(table, path)).toBeUndefined();
    },
  );
});
