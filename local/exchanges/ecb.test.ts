import { expect, test } from 'vitest';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { ratesClientFor } from '../../shared/providers/rates.ts';
import { startForTest } from './exchanges.testing.ts';
import type { SimulatedSourceOptions } from './index.ts';
import { xmlLieNames } from './xml-lies.ts';

const DAY_MS = 86_400_000;
const MONDAY = Date.UTC(2026, 10, 23);

async function fileAt(now: number, options: SimulatedSourceOptions = {}) {
  const { url } = await startForTest('ecb', { now: () => now, ...options });
  const response = await fetch(`${url}/eurofxref-daily.xml`);
  return { type: response.headers.get('content-type'), text: await response.text() };
}
const dayIn = (text: string) => /<Cube time='(.*?)'>/.exec(text)?.[1];

test('the file has the shape of the real one', async () => {
  const { type, text } = await fileAt(MONDAY);
  expect(type).toBe('text/xml');
  expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<gesmes:Envelope xmlns:gesmes=/);
  expect(text).toMatch(
    /\t<Cube>\n\t\t<Cube time='2026-11-20'>\n\t\t\t<Cube currency='USD' rate='1\.\d{4}'\/>\n/,
  );
  expect(text.match(/<Cube currency=/g)).toHaveLength(29);
});

test.each([
  ['a Monday morning', MONDAY + 9 * 3_600_000, '2026-11-20'],
  ['a Monday at 14:14', MONDAY + (14 * 60 + 14) * 60_000, '2026-11-20'],
  ['a Monday at 15:00', MONDAY + 15 * 3_600_000, '2026-11-23'],
  ['a Tuesday morning', MONDAY + DAY_MS, '2026-11-23'],
  ['a Sunday', MONDAY - DAY_MS, '2026-11-20'],
])('on %s it is of the last working day that has rates', async (_when, now, day) => {
  expect(dayIn((await fileAt(now)).text)).toBe(day);
});

test('rates of one seed are the same, of another others, and change little in a day', async () => {
  const dollar = async (now: number, seed = 1) =>
    Number(/'USD' rate='(.*?)'/.exec((await fileAt(now, { seed })).text)?.[1]);
  const [first, again, next, other] = [
    await dollar(MONDAY),
    await dollar(MONDAY),
    await dollar(MONDAY + 2 * DAY_MS),
    await dollar(MONDAY, 2),
  ];
  expect(again).toBe(first);
  expect(next).not.toBe(first);
  expect(next / first).toBeCloseTo(1, 1);
  expect(other).not.toBe(first);
});

test('the service’s own reader takes the file of every day of a year', async () => {
  let now = MONDAY;
  const { url } = await startForTest('ecb', { now: () => now });
  for (; now > MONDAY - 365 * DAY_MS; now -= 11 * DAY_MS) {
    // A provider is asked once a second: each time by another process.
    const client = ratesClientFor(parseEnvironment({ ECB_BASE_URL: url }));
    const { data, source } = await client.fetch(client.provider.rates(), Date.now() + 15_000);
    expect(source).toBe('simulated');
    expect(Object.keys(data.rates)).toHaveLength(29);
  }
});

test('other files and methods are refused in HTML, and each lie has a file of its own', async () => {
  const source = await startForTest('ecb', { now: () => MONDAY + 20 * 3_600_000 });
  const file = async () => (await fetch(`${source.url}/eurofxref-daily.xml`)).text();
  expect((await fetch(`${source.url}/eurofxref-hist.xml`)).status).toBe(404);
  expect((await fetch(`${source.url}/eurofxref-daily.xml`, { method: 'POST' })).status).toBe(405);
  const told = new Set([await file()]);
  for (const lie of xmlLieNames) {
    source.setFault(`lie=${lie}`);
    told.add(await file());
  }
  expect(told.size).toBe(xmlLieNames.length + 1);
});
