import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { displayWidth } from '../../client/commands/format/width.ts';
import { runInside } from './program.ts';
import { candles, resolved, tickerOf } from './stub-api.ts';
import { startStubService } from './stub-service.ts';

const NOW = '2026-01-31T12:04:00.000Z';
const headers = {
  date: new Date(NOW).toUTCString(),
  'x-data-source': 'coinpaprika',
  'x-data-quality': 'exact',
  'x-data-time': '2026-01-31T12:03:00.000Z',
};

/** A week of hours whose prices rise and fall without chance. */
const week = candles(
  Array.from({ length: 168 }, (_, hour) => {
    const priceAt = (x: number) => 65_500 + 1500 * Math.sin(x / 24) + 900 * Math.cos(x / 3);
    const [open, close] = [priceAt(hour), priceAt(hour + 1)];
    return [open, Math.max(open, close) + 400, Math.min(open, close) - 300, close];
  }),
).map((candle, hour) => ({
  ...candle,
  time_open: new Date(Date.parse(NOW) - (168 - hour) * 3_600_000).toISOString(),
}));

/** What a program writes in a window, stderr below stdout, while the clock stands. */
test.each([
  ['card', 'cprice', ['BTC']],
  ['help', 'marketdata', ['help']],
  ['unreachable', 'cprice', ['BTC', '--url', 'http://127.0.0.1:2']],
] as const)('%s in 40 and 80 columns', async (name, program, args) => {
  const { url, close } = await startStubService(
    {
      resolve: () => resolved(),
      ticker: () => tickerOf(),
      ohlcv: ({ id }) => ({ coinId: id, interval: '1h', quote: 'usd', count: week.length, data: week }),
    },
    { headers },
  );
  onTestFinished(close);
  vi.useFakeTimers({ now: new Date(NOW), toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  for (const columns of [40, 80]) {
    const window = { url, env: { NO_COLOR: '1' }, columns, isTTY: name === 'card' };
    const { stdout, stderr, code } = await runInside(program, args, window);
    const text = `${stdout}${stderr}exit status ${code}\n`;
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, `golden/${name}-${columns}.txt`));
    if (name === 'card')
      for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  }
});
