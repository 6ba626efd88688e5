import { describe, expect, test } from 'vitest';
import { domains } from '../../functions/domains.ts';
import { routes } from '../../functions/routes.ts';
import { stageConfig, stageNames } from '../../infra/config.ts';
import { deployedDomains, deployedRoutes } from '../../infra/deployed-routes.ts';
import { routeKeyOf } from '../../local/response-check.ts';
import { alarmNamesOf, endpointsOf, templateOf } from './synthesized.ts';

const keysOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, `marketdata/${name}`]));
const namesWith = (secrets: readonly string[]) =>
  deployedRoutes(routes, { secretNames: keysOf(secrets) }).map(({ name }) => name);
const forEverybody = routes.filter(({ allSecrets }) => allSecrets.length === 0);
/** The smallest ones: a route may do more with another secret, and exist without it. */
const sets = routes
  .filter(({ allSecrets }) => allSecrets.length > 0)
  .flatMap(({ name, secrets, requestSecrets = [[]] }) =>
    requestSecrets
      .filter((set) => !requestSecrets.some((other) => isWithin(other, set)))
      .map((set) => ({ name, set: [...secrets, ...set] })),
  );

function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  return part.length < whole.length && part.every((each) => whole.includes(each));
}

describe('a stage', () => {
  test('without any secret has no protocol route', () => {
    const paths = endpointsOf(templateOf('prod', { secretNames: {} })).map(({ routeKey }) => routeKey);

    expect(paths.sort()).toEqual(forEverybody.map(routeKeyOf).sort());
  });

  test.each(sets)('with all of $set has $name, and lacking one of them it has not', ({ name, set }) => {
    expect(namesWith(set)).toContain(name);
    for (const lacking of set) expect(namesWith(set.filter((each) => each !== lacking))).not.toContain(name);
  });

  test('gives a function the names of the secrets that its route declares and the stage names', () => {
    const [{ set } = { set: [] }] = sets.toSorted((a, b) => b.set.length - a.set.length);
    const endpoints = endpointsOf(templateOf('prod', { secretNames: keysOf(set) }));

    for (const route of deployedRoutes(routes, { secretNames: keysOf(set) })) {
      const key = routeKeyOf(route);
      const held = endpoints.find(({ routeKey }) => routeKey === key)?.function.Environment.Variables;
      for (const name of set)
        expect(held[name], `${name} of ${key}`).toEqual(
          route.allSecrets.includes(name) ? `secretsmanager:marketdata/${name}` : undefined,
        );
    }
  });

  test('has the alarms of the domains of which it has a route, and no others', () => {
    const present = deployedDomains(domains, { secretNames: {} });
    const absent = domains.filter((domain) => !present.includes(domain));
    const names = alarmNamesOf(templateOf('prod', { secretNames: {} }));

    for (const { name } of present.flatMap(({ alarms = [] }) => alarms))
      expect(names).toContain(`marketdata-prod-${name}`);
    for (const { name } of absent.flatMap(({ alarms = [] }) => alarms))
      expect(names).not.toContain(`marketdata-prod-${name}`);
  });
});

describe('a route that always needs a secret', () => {
  const keyed = { name: 'demo/quote', secrets: ['DEMO_KEY'], allSecrets: ['DEMO_KEY'] };

  test('is in the stages that name it', () => {
    expect(deployedRoutes([keyed], { secretNames: { DEMO_KEY: 'demo' } })).toEqual([keyed]);
    expect(deployedRoutes([keyed], { secretNames: {} })).toEqual([]);
  });

  test('whose name a stage misspells is an error, and not a route that is not there', () => {
    expect(() => templateOf('prod', { secretNames: { DEMO_KYE: 'demo' } })).toThrow(
      'secretNames has DEMO_KYE, which no route reads',
    );
  });
});

test('the stage of local runs has every route, and belongs to no account that could be deployed to', () => {
  const { secretNames, account } = stageConfig('local');

  expect(deployedRoutes(routes, { secretNames })).toEqual(routes);
  expect(account).toBe('000000000000');
  expect(stageNames).not.toContain('local');
});
