import { expect, test } from 'vitest';
import { providers } from '../../shared/providers/index.ts';
import { exchanges, ratesSource, tokenSources } from '../../shared/providers/sources.ts';
import { titleOf } from './sources.ts';

test.each([...providers, ...exchanges.values(), ...tokenSources, ratesSource])(
  '$name has the title that the service gives it',
  ({ name, title }) => {
    expect(titleOf(name)).toBe(title);
  },
);

test.each(['other', 'constructor', ''])('"%s" has none', (name) => {
  expect(titleOf(name)).toBeUndefined();
});
