import { assumptions } from './assumptions.ts';
import type { Part } from './estimate.ts';
import type { SourceCost } from './sources-cost.ts';
import { sourcesBytes } from './sources-objects.ts';
import { dollars, sizeOf, sumOf } from './text.ts';

const number = new Intl.NumberFormat('en-US');
const { sources } = assumptions;

/** The section on exchanges and sources of token prices. */
export function sourcesSection(costs: readonly SourceCost[], cheaper: readonly Part[]): string {
  const bytes = sourcesBytes(sources.traded, sources.markets, sources.priced);
  const row = (name: string, text: (cost: SourceCost) => string) =>
    `| ${[name, ...costs.map(text)].join(' | ')} |`;
  const partNames = costs[0]?.parts.map(({ name }) => name) ?? [];
  const { markets, candles, tokens, contracts, ofDay } = sources.objects;
  const objects = (name: string, { puts, gets }: { readonly puts: number; readonly gets: number }) =>
    `${name} ${puts} and ${gets}`;

  return `## Other sources

What exchanges and prices of tokens cost in a month, on top of the history of the ${number.format(2_000)} coins of the free plan: the row
"Other sources" above. No source is paid for. Bytes are those of objects that the service's own encoders make.

${row('', ({ name, coins }) => `${name}, ${number.format(coins)} coins`)}
| --- | ${costs.map(() => '--:').join(' | ')} |
${row('puts and lists', ({ writes }) => number.format(Math.round(writes)))}
${row('gets', ({ reads }) => number.format(Math.round(reads)))}
${row('GB-seconds', ({ gbSeconds }) => number.format(Math.round(gbSeconds)))}
${row('stored after two years', ({ stored }) => sizeOf(stored))}
${partNames.map((name) => row(name, ({ parts }) => dollars(parts.find((part) => part.name === name)?.month ?? 0))).join('\n')}
${row('**all**', ({ parts }) => `**${dollars(sumOf(parts))}**`)}

| object | bytes |
| --- | --: |
| hours of a day, of ${number.format(sources.traded)} coins that exchanges trade | ${sizeOf(bytes.exact)} |
| the map of markets, of ${number.format(sources.markets)} of them | ${sizeOf(bytes.map)} |
| what they said last | ${sizeOf(bytes.quotes)} |
| the tail of the tickers, of ${number.format(sources.priced)} coins | ${sizeOf(bytes.tail)} |
| its samples of a run | ${sizeOf(bytes.tailSamples)} |

What exchanges cost is time, most of it spent waiting for a turn: Kraken gives one a second. The tail costs puts: two a
day for each of its coins, days and hours, when a day is rolled up. A month would cost less by

${cheaper.map(({ name, month }) => `- ${name}: ${dollars(month)}`).join('\n')}
- \`TOKEN_SOURCES: ''\`: all of the column of tokens; \`CANDLE_SOURCES: ''\`: all of the column of exchanges

Measured, as deployed bundles in fresh processes with S3 and sources on loopback:

${sources.measured.map((text) => `- ${text}`).join('\n')}

So both have 384 MB. The job of the markets is not measured and has 512 MB; the roll-up is on
[the page of performance](performance.md).

Assumed:

- a run of the markets takes ${sources.seconds.markets} s, of the candles ${sources.seconds.candles} s, of the tokens ${sources.seconds.tokens} s, of the contracts ${sources.seconds.contracts} s, most of it waiting for a source's pace
- puts and gets of a run: ${[objects('markets', markets), objects('candles', candles), objects('tokens', tokens), objects('contracts', contracts)].join(', ')};
  of a coin that exchanges trade, when a day is over, ${ofDay.puts} and ${ofDay.gets}; of a coin of the tail as the history has them
- ${number.format(sources.priced)} of the 10,900 active coins beyond the list have a price that counts
`;
}
