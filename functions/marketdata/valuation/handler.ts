import { endpoint } from '../../../shared/http/endpoint.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { jointOrigin } from '../../../shared/marketdata/origin.ts';
import { setOriginHeaders } from '../../../shared/marketdata/provenance.ts';
import { currentRates } from '../../../shared/marketdata/rates/euro-rates.ts';
import { tickersAtHand } from '../../../shared/marketdata/serve/current.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { atInit } from '../../../shared/platform/at-init.ts';
import { answeringRegistry } from '../../../shared/registry/container.ts';
import { decimalText, ONE, rounding } from '../money/decimal.ts';
import {
  converted,
  currencyCodes,
  currencyOf,
  DOLLAR,
  originFieldsOf,
  worthOfCurrency,
} from '../money/worth.ts';
import {
  changeOf,
  checkHoldings,
  coinOf,
  missingFields,
  positionFields,
  positionOf,
  totalOf,
} from './positions.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ holdings, currency }, { environment, headers }) => {
  checkHoldings(holdings);
  const [registry, rates] = await Promise.all([
    answeringRegistry(headers, environment),
    currentRates(environment),
  ]);
  const code = currencyOf(currency, rates);
  if (code === undefined) throw invalidParameter('currency', currency, currencyCodes(rates).join(', '));
  const into = worthOfCurrency(code, rates, Date.now());

  const named = holdings.map((holding, index) => ({
    index,
    holding,
    coin: coinOf(holding, registry, rates),
  }));
  const coins = named.map(({ coin }) => coin).filter((coin) => 'id' in coin);
  const tickers = (await tickersAtHand(environment, coins)).values();
  const valued = named.map(({ index, holding, coin }) =>
    'id' in coin ? positionOf({ index, holding, coin }, tickers.next().value, into) : undefined,
  );
  const positions = valued.filter((position) => position !== undefined);
  const missing = named.filter(({ index }) => !valued[index]);
  const total = totalOf(positions, into);

  const worths = [into, ...positions.map(({ worth }) => worth)];
  const origin = jointOrigin(worths.flatMap((worth) => worth.origin ?? []));
  // Without one, of nothing in US dollars, they stay the registry's.
  if (origin) setOriginHeaders(headers, origin);
  headers['cache-control'] = 'no-store'; // what somebody holds is nobody else's business
  return {
    currency: code,
    total: decimalText(total),
    isComplete: missing.length === 0,
    ...changeOf(positions, total),
    positions: positions.map((position) => positionFields(position, total, into)),
    missing: missing.map(({ index, holding, coin }) => missingFields(index, holding, coin)),
    exchangeRate: into.origin
      ? { oneUsd: decimalText(converted(ONE, DOLLAR, into)), ...originFieldsOf(into.origin) }
      : null,
    rounding,
  };
});

await atInit(currentSnapshot, currentRates);
