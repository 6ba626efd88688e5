import { DAY_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import type { Answer } from '../provider/answer.ts';
import { seedOf, uniform } from '../provider/hash.ts';
import { statusText } from '../provider/misbehave.ts';
import { createWalk, EPOCH_MS, STEP_MS } from '../provider/walk.ts';
import { createBurstLimit } from './burst-limit.ts';
import { type Asked, type ExchangeProtocol, fixed } from './protocol.ts';

const BURST = 20;
const PATH = '/eurofxref-daily.xml';
/** A day's rates come between 14:15 and 15:00 UTC. */
const EARLIEST_MINUTE = 14 * 60 + 15;
const MINUTES = 45;
/** The walk of a currency has this deviation in a year. */
const DEVIATION = 0.06;

/** One euro in the autumn of 2025, with as many digits as the real file has. */
const figures = {
  USD: '1.1520',
  JPY: '180.50',
  CZK: '24.170',
  DKK: '7.4690',
  GBP: '0.88050',
  HUF: '381.90',
  PLN: '4.2350',
  RON: '5.0870',
  SEK: '10.9900',
  CHF: '0.9280',
  ISK: '146.90',
  NOK: '11.7300',
  TRY: '48.8500',
  AUD: '1.7800',
  BRL: '6.2100',
  CAD: '1.6230',
  CNY: '8.1900',
  HKD: '8.9680',
  IDR: '19250.00',
  ILS: '3.7700',
  INR: '102.9000',
  KRW: '1695.00',
  MXN: '21.2600',
  MYR: '4.7800',
  NZD: '2.0560',
  PHP: '67.800',
  SGD: '1.5050',
  THB: '37.350',
  ZAR: '19.9500',
} as const;

/** The European Central Bank's file of the last working day, in the walk of a seed. Every Monday to Friday is one. */
export function ecb(seed: number, requestsPerSecond: number): ExchangeProtocol {
  const isWithinLimit = createBurstLimit(requestsPerSecond, BURST);
  const currencies = Object.entries(figures).map(([code, text]) => ({
    code,
    rate: Number(text),
    digits: text.length - text.indexOf('.') - 1,
    walk: createWalk(seedOf(`${seed}/${code}`)),
  }));

  function answer({ path, atMs, nowMs }: Asked): Answer {
    if (!isWithinLimit(atMs)) return failure(429);
    if (path !== PATH) return failure(404);
    const dayMs = lastDay(nowMs, seed);
    const rates = currencies.map(({ code, rate, digits, walk }) => {
      const step = Math.round((dayMs - EPOCH_MS) / STEP_MS);
      return `\t\t\t<Cube currency='${code}' rate='${fixed(rate * Math.exp(DEVIATION * walk(step)), digits)}'/>`;
    });
    return xml(document(new Date(dayMs).toISOString().slice(0, 10), rates));
  }

  return { answer, failure, limited: () => failure(429) };
}

/** The last working day whose rates are there; milliseconds of its beginning. */
function lastDay(nowMs: number, seed: number): number {
  let dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  while (isWeekend(dayMs) || nowMs < toldAt(dayMs, seed)) dayMs -= DAY_MS;
  return dayMs;
}

function isWeekend(dayMs: number): boolean {
  return [0, 6].includes(new Date(dayMs).getUTCDay());
}

function toldAt(dayMs: number, seed: number): number {
  const minute = EARLIEST_MINUTE + Math.floor(MINUTES * uniform(seed, dayMs / DAY_MS));
  return dayMs + minute * MINUTE_MS;
}

function document(day: string, rates: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
\t\t<Cube time='${day}'>
${rates.join('\n')}
\t\t</Cube>
\t</Cube>
</gesmes:Envelope>`;
}

function xml(body: string): Answer {
  return { status: 200, headers: { 'Content-Type': 'text/xml' }, body };
}

function failure(status: number): Answer {
  const text = statusText(status, 'Too Many Requests');
  return { status, headers: { 'Content-Type': 'text/html' }, body: `<html><h1>${text}</h1></html>\n` };
}
