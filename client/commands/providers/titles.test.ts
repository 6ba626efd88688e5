import { expect, test } from 'vitest';
import { exchanges } from '../../../shared/providers/exchanges.ts';
import { providers } from '../../../shared/providers/index.ts';
import { ratesSource } from '../../../shared/providers/rates.ts';
import { tokenSources } from '../../../shared/providers/token-sources.ts';
import { titleOf } from './titles.ts';

test.each([...providers, ...exchanges.values(), ...tokenSources, ratesSource])(
  '$name has the title that the service gives it',
  ({ name, title }) => {
    expect(titleOf(name)).toBe(title);
  },
);

test.each(['other', 'constructor', ''])('"%s" has none', (name) => {
  expect(titleOf(name)).toBeUndefined();
});
