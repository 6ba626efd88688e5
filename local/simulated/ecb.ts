/** The European Central Bank's files of exchange rates on working days, Monday to Friday, from the walk of a seed. */
import { DAY_MS, MINUTE_MS } from './market.ts';
import { type Protocol, plain, statusText } from './protocol.ts';
import { createWalk, EPOCH_MS, STEP_MS, seedOf, uniform } from './walk.ts';

/** A day's rates are published between 14:15 and 15:00 UTC. */
const EARLIEST_MINUTE = 14 * 60 + 15;
const MINUTES = 45;
const PAST_MS = 5 * 365 * DAY_MS;
/** Deviation of a currency's rate in a year. */
const DEVIATION = 0.06;

/** One euro in the autumn of 2025, with as many digits as the real file has. */
const figures =
  'USD 1.1520 JPY 180.50 CZK 24.170 DKK 7.4690 GBP 0.88050 HUF 381.90 PLN 4.2350 RON 5.0870 SEK 10.9900 CHF 0.9280 ' +
  'ISK 146.90 NOK 11.7300 TRY 48.8500 AUD 1.7800 BRL 6.2100 CAD 1.6230 CNY 8.1900 HKD 8.9680 IDR 19250.00 ILS 3.7700 ' +
  'INR 102.9000 KRW 1695.00 MXN 21.2600 MYR 4.7800 NZD 2.0560 PHP 67.800 SGD 1.5050 THB 37.350 ZAR 19.9500';

/** A row has a currency and its rate; lies change them, and then the file is written. */
export interface RatesFile {
  readonly day: string;
  readonly rates: readonly { readonly currency: string; readonly rate: unknown }[];
}

export function ecb(seed: number): Protocol {
  const currencies = [...figures.matchAll(/([A-Z]{3}) (\d+\.(\d+))/g)].map(
    ([, currency = '', rate, digits = '']) => ({
      ...{ currency, rate: Number(rate), digits: digits.length },
      walk: createWalk(seedOf(`${seed}/${currency}`)),
    }),
  );
  function fileOf(dayMs: number): RatesFile {
    const step = Math.round((dayMs - EPOCH_MS) / STEP_MS);
    const rates = currencies.map(({ currency, rate, digits, walk }) => {
      return { currency, rate: (rate * Math.exp(DEVIATION * walk(step))).toFixed(digits) };
    });
    return { day: new Date(dayMs).toISOString().slice(0, 10), rates };
  }
  const text = (data: unknown) => write([data as RatesFile | RatesFile[]].flat()); // as it is made below
  return {
    failure: (status) =>
      plain(status, `<html><h1>${statusText(status, 'Too Many Requests')}</h1></html>\n`, 'text/html'),
    burst: 20,
    routes: {
      '/eurofxref-daily.xml': ({ nowMs }) => fileOf(lastDay(nowMs, seed)),
      '/eurofxref-hist.xml': ({ nowMs }) => pastDays(nowMs, seed).map(fileOf),
    },
    respond: (data) => ({ ...plain(200, text(data), 'text/xml'), data }),
    write: text,
  };
}

/** The beginning, in milliseconds, of the last working day with published rates. */
function lastDay(nowMs: number, seed: number): number {
  let dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const publishedAt = () =>
    dayMs + (EARLIEST_MINUTE + Math.floor(MINUTES * uniform(seed, dayMs / DAY_MS))) * MINUTE_MS;
  while ([0, 6].includes(new Date(dayMs).getUTCDay()) || nowMs < publishedAt()) dayMs -= DAY_MS;
  return dayMs;
}

/** The beginnings, in milliseconds, of five years' days with rates, newest first. */
function pastDays(nowMs: number, seed: number): number[] {
  const days: number[] = [];
  for (let day = lastDay(nowMs, seed); day > nowMs - PAST_MS; day = lastDay(day - 1, seed)) days.push(day);
  return days;
}

function write(days: readonly RatesFile[]): string {
  const written = days.map(({ day, rates }) => {
    const rows = rates.map(({ currency, rate }) => {
      return `\t\t\t<Cube currency='${currency}'${rate === undefined ? '' : ` rate='${rate ?? ''}'`}/>\n`;
    });
    return `\t\t<Cube time='${day}'>\n${rows.join('')}\t\t</Cube>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
${written.join('')}\t</Cube>
</gesmes:Envelope>`;
}
