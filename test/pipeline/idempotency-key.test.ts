import Type from 'typebox';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoint } from '../../shared/http/endpoint.ts';
import { defineRoute } from '../../shared/http/route.ts';
import { call, failure, refusalHeaders } from './event.ts';

const payRoute = defineRoute({
  name: 'test/pay',
  method: 'POST',
  path: '/api/test/pay',
  summary: 'Spends something',
  limit: 'read',
  idempotent: true,
  response: Type.Unknown(),
  example: {},
  memoryMb: 128,
  timeoutSeconds: 15,
  maxConcurrency: 1,
});
const pay = endpoint(payRoute, (_input, { idempotencyKey = 'none' }) => ({ idempotencyKey }));
const read = endpoint({ ...payRoute, idempotent: false }, (_input, { idempotencyKey = 'none' }) => ({
  idempotencyKey,
}));

const refusal = {
  status: 400,
  headers: refusalHeaders(100),
  body: failure(
    'Invalid header Idempotency-Key; allowed: once, 1 to 255 visible ASCII characters other than a comma',
  ),
};

let clients = 0;
const ask = (handler: typeof pay, headers: Record<string, string>) =>
  call(handler, { method: 'POST', headers, sourceIp: `192.0.2.${++clients}` });

beforeEach(() => {
  vi.stubEnv('NODE_ENV', 'test');
});

describe('an Idempotency-Key', () => {
  it.each([
    ['idempotency-key', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['Idempotency-Key', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
    ['IDEMPOTENCY-KEY', '!#$%&()*+-./:;<=>?@[\\]^_`{|}~'],
    ['idempotency-key', 'x'.repeat(255)],
  ])('as %s reaches the handler as it was sent: %s', async (name, key) => {
    expect((await ask(pay, { [name]: key })).body).toEqual({ success: true, data: { idempotencyKey: key } });
  });

  it.each([
    ['an empty one', { 'idempotency-key': '' }],
    ['256 characters', { 'idempotency-key': 'x'.repeat(256) }],
    ['a line feed at its end', { 'idempotency-key': 'a\n' }],
    ['a letter beyond ASCII', { 'idempotency-key': 'ключ' }],
    ['two of them, as the gateway joins them', { 'idempotency-key': 'a,a' }],
    ['two of them in two spellings', { 'idempotency-key': 'a', 'Idempotency-Key': 'a' }],
  ])('with %s is a 400 that says what is allowed', async (_case, headers: Record<string, string>) => {
    expect(await ask(pay, headers)).toEqual(refusal);
  });

  it('has no meaning on other routes', async () => {
    expect((await ask(read, { 'idempotency-key': 'a b' })).body).toEqual({
      success: true,
      data: { idempotencyKey: 'none' },
    });
  });
});
