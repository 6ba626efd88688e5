import { expect, test } from 'vitest';
import { providerName } from '../provider-choice.ts';
import { readFaults } from './faults.ts';

test('a fault is the provider’s, or that of the source whose name is in front', () => {
  expect(readFaults(['latency=2s@/x:y', 'binance:status=451', 'kraken:lie=mixedtimesx2'])).toMatchObject({
    [providerName]: { kind: 'latency', value: '2s', path: '/x:y' },
    binance: { kind: 'status', value: '451' },
    kraken: { kind: 'lie', value: 'mixedtimes', times: 2 },
  });
  expect(readFaults([`${providerName}:limitx2`])).toMatchObject({
    [providerName]: { kind: 'limit', times: 2 },
  });
  expect(readFaults([])).toEqual({});
});

test.each([
  ['explode', 'lie=identity|noprice|'],
  ['krakn:status=503', `${providerName}, coinbase, kraken, binance, defillama, coingecko, ecb`],
  ['binance:lie=shuffled', '|mixedtimes|'],
  ['ecb:lie=mixedtimes', 'lie=noprice|zero|'],
  ['binance:', 'Bad fault ""'],
])('%s is refused with what is allowed', (text, allowed) => {
  expect(() => readFaults([text])).toThrow(allowed);
});

test.each([
  ['kraken', ['kraken:status=503', 'binance:limit', 'kraken:limit']],
  [providerName, ['hang', `${providerName}:limit`]],
])('two faults of %s are refused', (name, texts) => {
  expect(() => readFaults(texts)).toThrow(`Two faults of ${name}: one at a time`);
});
