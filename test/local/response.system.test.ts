import Type from 'typebox';
import { expect, test } from 'vitest';
import { get, obedient, obedientSource, serveFixture } from './fixture.ts';

function answering(answer: unknown): string {
  return `/?answer=${encodeURIComponent(JSON.stringify(answer))}`;
}

test('status, headers, cookies and a base64 body are those of the function', async () => {
  const { url } = await serveFixture(obedient());
  const response = await fetch(
    url +
      answering({
        statusCode: 201,
        headers: { 'X-Number': 5, 'Content-Type': 'image/png' },
        cookies: ['a=1', 'b=2'],
        body: Buffer.from([1, 2, 255]).toString('base64'),
        isBase64Encoded: true,
      }),
  );
  expect(response.status).toBe(201);
  expect(response.headers.get('x-number')).toBe('5');
  expect(response.headers.get('content-type')).toBe('image/png');
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect([...(await response.bytes())]).toEqual([1, 2, 255]);
});

test('the response to HEAD has the headers alone, without a length', async () => {
  const { url } = await serveFixture(obedient());
  const response = await fetch(url + answering({ statusCode: 404, headers: { 'x-number': 5 }, body: '' }), {
    method: 'HEAD',
  });
  expect([response.status, response.headers.get('x-number'), await response.text()]).toEqual([404, '5', '']);
  expect(response.headers.has('content-length')).toBe(false);
});

test('a value without a status is a 200 with that value as its JSON body', async () => {
  const { url } = await serveFixture(obedient());
  const object = await get(url + answering({ hello: 'world' }));
  expect(object).toMatchObject({ status: 200, body: { hello: 'world' } });
  expect(object.headers.get('content-type')).toBe('application/json');
  const text = await fetch(url + answering('hello'));
  expect([text.status, await text.text()]).toEqual([200, 'hello']);
});

test('a malformed response of a function is answered 500', async () => {
  const { url } = await serveFixture(obedient());
  for (const returned of [
    { statusCode: 'abc' },
    { statusCode: 42 },
    { statusCode: 200, body: { not: 'a text' } },
    { statusCode: 200, headers: [] },
    { statusCode: 200, headers: { 'x-bad': 'a\r\nb: c' } },
  ])
    expect(await get(url + answering(returned))).toMatchObject({
      status: 500,
      body: { message: 'Internal Server Error' },
    });
});

test('a 200 that does not fit its route’s response schema is a printed 500', async () => {
  const { url, lines } = await serveFixture(
    { routes: { 'GET /price': 'Price' }, functions: { Price: { code: obedientSource } } },
    { routes: [{ method: 'GET', path: '/price', response: Type.Object({ price: Type.Number() }) }] },
  );
  const priced = (data: unknown) =>
    `${url}/price${answering({ statusCode: 200, body: JSON.stringify({ success: true, data }) }).slice(1)}`;

  expect(await get(priced({ price: 1 }))).toMatchObject({ status: 200, body: { data: { price: 1 } } });
  const error = 'The answer does not fit the response schema of GET /price: data/price must be number';
  expect(await get(priced({ price: '1' }))).toMatchObject({ status: 500, body: { success: false, error } });
  expect(await get(priced({ price: 1, more: 2 }))).toMatchObject({ status: 500 });
  expect(lines.join('\n')).toContain(error);
});

test('the gateway answers preflights, and replaces the function’s CORS headers', async () => {
  const cors = {
    AllowOrigins: ['https://app.example.com'],
    AllowMethods: ['GET', 'POST'],
    AllowHeaders: ['x-api-key'],
    ExposeHeaders: ['x-data-source'],
    MaxAge: 600,
  };
  const { url } = await serveFixture({ ...obedient(), cors });
  const origin = 'https://app.example.com';

  const preflight = await get(url, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET' },
  });
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET,POST',
    'access-control-allow-headers': 'x-api-key',
    'access-control-max-age': '600',
  });

  const own = answering({ statusCode: 200, headers: { 'Access-Control-Allow-Origin': '*' }, body: '{}' });
  const allowed = await get(url + own, { headers: { origin } });
  expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
  expect(allowed.headers.get('access-control-expose-headers')).toBe('x-data-source');
  const other = await get(url + own, { headers: { origin: 'http://localhost:5173' } });
  expect([other.status, other.headers.has('access-control-allow-origin')]).toEqual([200, false]);
});
