import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { version } from './version.ts';

it('is the version of package.json', () => {
  expect(version).toBe(manifest.version);
});
