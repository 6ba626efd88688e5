/** The European Central Bank's files of exchange rates on working days, Monday to Friday, from the walk of a seed. */
import { currenciesIn, dayText, lastDay, PAST_MS, referenceFigures } from './euro.ts';
import { type Protocol, plain, statusText } from './protocol.ts';

/** A row has a currency and its rate; lies change them, and then the file is written. */
export interface RatesFile {
  readonly day: string;
  readonly rates: readonly { readonly currency: string; readonly rate: unknown }[];
}

export function ecb(seed: number): Protocol {
  const currencies = currenciesIn(referenceFigures, seed);
  function fileOf(dayMs: number): RatesFile {
    const rates = currencies.map(({ code, digits, rateOn }) => {
      return { currency: code, rate: rateOn(dayMs).toFixed(digits) };
    });
    return { day: dayText(dayMs), rates };
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
