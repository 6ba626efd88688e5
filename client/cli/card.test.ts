import { expect, test } from 'vitest';
import { candles, candlesRoute, euroRates, resolved, stubApi, tickerOf } from '../../test/client/stub-api.ts';
import { sessionRates } from '../commands/currency.ts';
import { plainText } from '../commands/format/text.ts';
import { runLine } from '../commands/run.ts';
import { sessionTickers } from '../commands/tickers.ts';
import { priceCard } from './card.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 4);

/** Two hours; in the first one a dollar was worth 100 yen and in the second 120. The price now is 118 dollars. */
async function cardOf(line: string): Promise<string> {
  const week = candles([
    [100, 110, 95, 105],
    [105, 120, 104, 118],
  ]).map((candle, hour) => ({ ...candle, time_open: new Date(NOW - (2 - hour) * 3_600_000).toISOString() }));
  const { api } = stubApi({
    resolve: () => resolved(),
    ticker: () => tickerOf({}, { price: 118 }),
    rates: () => euroRates(), // today it is worth 144
    ohlcv: candlesRoute(week, { JPY: [100, 120] }),
  });
  const now = () => NOW;
  const shared = { api, rates: sessionRates(api, now), tickers: sessionTickers(now), now };
  const context = { ...shared, keySetting: '', hasKey: () => false, wantsWeek: true };
  const result = await runLine(line, context);
  if (result.kind !== 'price' || !result.prices[0]) throw new Error('no price');
  return plainText(priceCard(result.prices[0], result, { width: 80, now: NOW }));
}

test('the day’s range is of the prices of its hours', async () => {
  expect(await cardOf('cprice BTC')).toMatch(/24h range: +\$95\.00 ├─+●─*┤ \$120\.00/);
});

test('in another currency its hours have their own rates, and the price has the current one', async () => {
  const card = await cardOf('cprice BTC --currency jpy');
  expect(card).toMatch(/Price: +¥16,992/);
  expect(card).toMatch(/24h range: +¥9,500 ├─+●┤ ¥16,992/);
  expect(card.replace(/[\s│]+/g, ' ')).toContain('changes are those in USD');
});
