import { expect, test } from 'vitest';
import { ask, worldForTest } from './asking.testing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './market.ts';

const MONDAY = Date.UTC(2026, 10, 23);
const fileAt = (now: number, options = {}) =>
  ask(worldForTest({ now: () => now, ...options }).ecb, '/eurofxref-daily.xml');
const dollarIn = (text: string) => Number(/'USD' rate='(.*?)'/.exec(text)?.[1]);

test('the files of the last day and of past days have the shape of the real ones', () => {
  const { headers, text } = fileAt(MONDAY);
  expect(headers['Content-Type']).toBe('text/xml');
  expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<gesmes:Envelope xmlns:gesmes=/);
  expect(text).toMatch(
    /\t<Cube>\n\t\t<Cube time='2026-11-20'>\n\t\t\t<Cube currency='USD' rate='1\.\d{4}'\/>\n/,
  );
  expect(text.match(/<Cube currency=/g)).toHaveLength(29);
  const past = ask(worldForTest({ now: () => MONDAY }).ecb, '/eurofxref-hist.xml').text;
  const days = Array.from(past.matchAll(/<Cube time='(.*?)'>/g), ([, day]) => day);
  expect([days.length > 1_200, days.slice(0, 2)]).toEqual([true, ['2026-11-20', '2026-11-19']]);
  expect(dollarIn(past)).toBe(dollarIn(text));
});

test.each([
  ['a Monday morning', MONDAY + 9 * HOUR_MS, '2026-11-20'],
  ['a Monday at 14:14', MONDAY + (14 * 60 + 14) * MINUTE_MS, '2026-11-20'],
  ['a Monday at 15:00', MONDAY + 15 * HOUR_MS, '2026-11-23'],
  ['a Tuesday morning', MONDAY + DAY_MS, '2026-11-23'],
  ['a Sunday', MONDAY - DAY_MS, '2026-11-20'],
])('on %s it is of the last working day that has rates', (_when, now, day) => {
  expect(/<Cube time='(.*?)'>/.exec(fileAt(now).text)?.[1]).toBe(day);
});
