import { describe, expect, it } from 'vitest';
import { UnusableAnswer } from '../marketdata/provider.ts';
import type { HttpAnswer } from '../platform/transport.ts';
import { coinpaprika } from './coinpaprika.ts';
import { leaveAloneMs, receivedFrom } from './meaning.ts';

const answer = (status: number, body: string, type = 'application/json'): HttpAnswer => ({
  status,
  headers: type ? { 'content-type': type } : {},
  body: Buffer.from(body),
});
const dataIn = (outcome: HttpAnswer, read: (json: unknown) => unknown) =>
  receivedFrom(coinpaprika, { path: '/x', read }, outcome, 0, {}).data;

describe('a 200', () => {
  const keep = (json: unknown) => json;

  it.each([
    'application/json',
    'application/json; charset=UTF-8',
    'APPLICATION/JSON;charset=utf-8',
    'application/problem+json',
  ])('is read where its type is %s', (type) => {
    expect(dataIn(answer(200, '{"a":[1]}', type), keep)).toEqual({ a: [1] });
  });

  it.each([
    ['a firewall page', '<html></html>', 'text/html; charset=UTF-8', 'text/html instead of JSON'],
    ['JSON that calls itself a text', '{}', 'text/plain', 'text/plain instead of JSON'],
    ['no type', '{}', '', 'no content type instead of JSON'],
    ['no body and no type', '', '', 'an empty body'],
    ['no body', '', 'application/json', 'an empty body'],
    ['half of an object', '{"id":', 'application/json', 'broken JSON'],
    ['a page that calls itself JSON', '<html>', 'application/json', 'broken JSON'],
  ])('is a 502 where it is %s', (_what, body, type, what) => {
    expect(() => dataIn(answer(200, body, type), keep)).toThrow(
      new UnusableAnswer(`CoinPaprika gave an unusable answer: ${what}`),
    );
  });

  it.each([
    [new Error('price is not a number'), 'price is not a number'],
    ['a string', 'an unknown shape'],
  ])('is a 502 that names what its reader misses', (thrown, what) => {
    const read = () => {
      throw thrown;
    };

    expect(() => dataIn(answer(200, '{}'), read)).toThrow(
      new UnusableAnswer(`CoinPaprika gave an unusable answer: ${what}`),
    );
  });
});

describe('the time for which a provider wants to be left alone', () => {
  it.each([
    [200, '60', 0],
    [402, '60', 0],
    [503, '60', 0],
    [429, '60', 60_000],
    [429, '', 0],
    [429, '86400', 3_600_000], // an hour at most
    [418, '86400', 86_400_000], // a ban
    [418, '9999999', 3 * 86_400_000],
    [418, '', 120_000],
    [418, 'soon', 120_000],
  ])('of a %i that says %j is %i ms', (status, retryAfter, ms) => {
    const outcome = { ...answer(status, ''), headers: { 'retry-after': retryAfter } };
    expect(leaveAloneMs(outcome)).toBe(ms);
  });
});
