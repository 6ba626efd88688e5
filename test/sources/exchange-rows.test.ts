/** The meaning of an exchange's fields for one market. */
import { expect, it } from 'vitest';
import { answered } from '../providers/answered.ts';
import { spoken } from '../providers/spoken.ts';

type Fields = Readonly<Record<string, unknown>>;
type ExchangeName = 'coinbase' | 'kraken' | 'binance';

/** Whether the market whose row has these fields besides its own is open. */
function isOpen(name: ExchangeName, fields: Fields): boolean | undefined {
  const proper = spoken.find(({ exchange }) => exchange.name === name);
  if (!proper) throw new Error(`No exchange ${name}`);
  const lists: Record<ExchangeName, (list: never) => unknown> = {
    coinbase: ([first, ...others]: Fields[]) => [{ ...first, ...fields }, ...others],
    kraken: ({ result }: { result: Record<string, Fields> }) => ({
      error: [],
      result: { ...result, XXBTZUSD: { ...result.XXBTZUSD, ...fields } },
    }),
    binance: ({ symbols: [first, ...others] }: { symbols: Fields[] }) => ({
      symbols: [{ ...first, ...fields }, ...others],
    }),
  };
  const body = lists[name](proper.markets as never); // as that exchange has its list
  const markets = answered(proper.exchange, (offered) => offered.markets(), { body });
  return markets.find(({ id }) => id === proper.market)?.isOpen;
}

it.each<[ExchangeName, Fields, boolean]>([
  ['coinbase', { trading_disabled: 'true' }, false],
  ['coinbase', { cancel_only: 'True' }, false],
  ['coinbase', { auction_mode: true }, false],
  ['coinbase', { post_only: true }, false],
  ['coinbase', { status: 'offline' }, false],
  ['kraken', { status: 'cancel_only' }, false],
  ['kraken', { status: 'reduce_only' }, false],
  ['binance', { status: 'HALT' }, false],
  ['binance', { isSpotTradingAllowed: 'false' }, false],
  ['binance', { permissions: ['MARGIN'] }, false],
  ['binance', { permissionSets: [['TRD_GRP_004', 'MARGIN']] }, false],
  [
    'coinbase',
    { trading_disabled: 'false', cancel_only: 'false', auction_mode: null, limit_only: true },
    true,
  ],
  ['coinbase', { post_only: undefined, auction_mode: undefined, status: 'Online' }, true],
  ['kraken', { status: 'limit_only' }, true],
  ['binance', { permissions: ['SPOT'], permissionSets: [] }, true],
  ['binance', { permissionSets: [['MARGIN', 'SPOT'], ['LEVERAGED']], isSpotTradingAllowed: undefined }, true],
])('a market of %s with %j is open to spot trades: %s', (name, fields, expected) => {
  expect(isOpen(name, fields)).toBe(expected);
});

it.each([
  ['that contradicts its prices', '250', '80', expect.closeTo(25, 4)],
  ['below -100 %', '-250', '200', expect.closeTo(-50, 4)],
  ['from nothing', '12', '0', null],
  ['that nothing ever made in a day', '12', '0.001', null],
])('a change of 24 hours %s is left out', (_what, priceChangePercent, openPrice, expected) => {
  const [, , binance] = spoken;
  const [first, second] = binance.quotes;
  const body = [{ ...first, priceChangePercent, openPrice }, second];
  const quotes = answered(binance.exchange, (offered) => offered.quotes([binance.market]), { body });
  expect(quotes.map(({ change }) => change)).toEqual([expected]);
});
