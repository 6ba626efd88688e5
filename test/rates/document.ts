/** The file of rates as it is published, from a recorded one of 2024. */
export const figures: Readonly<Record<string, string>> = {
  ...{ USD: '1.1520', JPY: '171.94', CZK: '25.025', DKK: '7.4575', GBP: '0.84638', HUF: '395.10' },
  ...{ PLN: '4.3090', RON: '4.9773', SEK: '11.3595', CHF: '0.9634', ISK: '148.90', NOK: '11.3965' },
  ...{ TRY: '35.1868', AUD: '1.6079', BRL: '5.8915', CAD: '1.4670', CNY: '7.7748', HKD: '8.3594' },
  ...{ IDR: '17487.21', ILS: '4.0200', INR: '89.2495', KRW: '1474.86', MXN: '19.5654', MYR: '5.0501' },
  ...{ NZD: '1.7601', PHP: '62.560', SGD: '1.4513', THB: '39.319', ZAR: '19.4970' },
};

/** Currencies that have no reference rate. */
export const others: Readonly<Record<string, string>> = { KWD: '0.3537', TWD: '36.1', UAH: '48.6' };

/** The rows of the other source: rates of a day, or of a day of their own. */
export function rowsOf(
  day: string,
  rates: Readonly<Record<string, string>>,
  days: Readonly<Record<string, string>> = {},
) {
  const rows = Object.entries({ EUR: '1', ...rates }).map(([quote, rate]) => {
    return { date: days[quote] ?? day, base: 'EUR', quote, rate: Number(rate) };
  });
  return rows.sort((a, b) => (a.quote < b.quote ? -1 : 1));
}

/** A `Cube` of each, in their order. */
export function cubes(rates: Readonly<Record<string, string>>): string {
  return Object.entries(rates)
    .map(([code, rate]) => `\t\t\t<Cube currency='${code}' rate='${rate}'/>`)
    .join('\n');
}

export function documentOf(
  days: string | readonly string[],
  rates: Readonly<Record<string, string>> | string = figures,
): string {
  const rows = typeof rates === 'string' ? rates : cubes(rates);
  const written = [days].flat().map((day) => `\t\t<Cube time='${day}'>\n${rows}\n\t\t</Cube>\n`);
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
