import { type Dependencies, endpoint } from '../../../shared/http/endpoint.ts';
import { refuseUnknown } from '../../../shared/http/middleware/body.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { currencyOf } from '../../../shared/marketdata/currencies.ts';
import { jointOrigin, setOriginHeaders } from '../../../shared/marketdata/provenance.ts';
import { currentRates } from '../../../shared/marketdata/rates.ts';
import {
  changeOf,
  converted,
  DOLLAR,
  originFieldsOf,
  type Position,
  positionOf,
  totalOf,
  type Worth,
  worthOfCoin,
  worthOfCurrency,
} from '../../../shared/marketdata/serve/convert.ts';
import {
  amountPattern,
  amountWords,
  type Decimal,
  decimal,
  decimalText,
  ONE,
  percentNumber,
  percentOf,
  quotient,
  rounding,
} from '../../../shared/marketdata/serve/decimals.ts';
import { pricesNow } from '../../../shared/marketdata/serve/price-now.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import type { Environment } from '../../../shared/platform/environment.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { answeringRegistry } from '../../../shared/registry/container.ts';
import type { RegistryEntry } from '../../../shared/registry/entries.ts';
import { symbolKey } from '../../../shared/registry/fold.ts';
import { coinOfSymbol, type RegistryLookups } from '../../../shared/registry/lookups.ts';
import { relatedCoins } from '../../../shared/registry/related-coins.ts';
import type { RelatedCoin } from '../../../shared/registry/successors.ts';
import { route } from './route.ts';

interface Holding {
  readonly id?: string;
  readonly symbol?: string;
  readonly amount: string;
  readonly cost?: string;
}

/** Why a holding is not part of the total, and how to fix it. */
interface Reason {
  readonly reason: 'unknown' | 'ambiguous' | 'unnamed' | 'unpriced';
  readonly message: string;
}

/** A holding that has a price; `index` is its place in the request. */
interface HeldPosition extends Position {
  readonly index: number;
  readonly holding: Holding;
  readonly coin: HeldCoin;
}

/** A coin, and the one with the given symbol that it has replaced. */
type HeldCoin = RegistryEntry & { readonly predecessor?: RelatedCoin | undefined };

const holdingFields = ['id', 'symbol', 'amount', 'cost'];
const AMOUNT = new RegExp(amountPattern);

export const handler = endpoint(route, async ({ holdings, currency, at }, dependencies) => {
  const { environment, headers } = dependencies;
  checkHoldings(holdings);
  const registry = await answeringRegistry(headers, environment);
  const code = currencyOf(currency);
  if (code === undefined) throw invalidParameter('currency', currency, 'an ISO 4217 code such as EUR');
  const named = await Promise.all(
    holdings.map(async (holding, index) => {
      return { index, holding, coin: await coinOf(holding, registry) };
    }),
  );
  const ids = named.flatMap(({ coin }) => ('id' in coin ? coin.id : []));
  const { into, worths } = await (at === undefined
    ? worthsNow(environment, ids, code)
    : worthsThen(dependencies, ids, { code, at }));

  const found = worths.values();
  const positions: HeldPosition[] = [];
  const missing: ReturnType<typeof missingFields>[] = [];
  for (const { index, holding, coin } of named) {
    const known = 'id' in coin ? found.next().value : undefined;
    if ('id' in coin && known?.worth) {
      const position = positionOf(decimal(holding.amount), known.worth, into, known.change);
      positions.push({ ...position, index, holding, coin });
    } else missing.push(missingFields(index, holding, { coin, at }));
  }
  const isComplete = missing.length === 0;
  const total = totalOf(positions, into);

  // Without prices, a valuation in US dollars keeps the registry's headers.
  setOriginHeaders(headers, jointOrigin([into, ...positions.map(({ worth }) => worth)].map(originIn)));
  headers['cache-control'] = 'no-store'; // holdings are private
  return {
    currency: code,
    total: decimalText(total),
    isComplete,
    ...changeOf(positions, total),
    positions: await Promise.all(
      positions.map((position) => positionFields(position, total, into, registry)),
    ),
    missing: isComplete ? missing : await (await rare()).withTexts(missing, environment),
    exchangeRate: into.origin
      ? { oneUsd: decimalText(converted(ONE, DOLLAR, into)), ...originFieldsOf(into.origin) }
      : null,
    rounding,
  };
});

const originIn = ({ origin }: Worth) => origin;

interface Valued {
  readonly worth: Worth | undefined;
  /** Of the price in 24 hours, in percent. */
  readonly change?: number | null | undefined;
}

/** What is valued in a currency: its own value, and that of each coin. */
interface Valuation {
  readonly into: Worth;
  readonly worths: readonly Valued[];
}

async function worthsNow(environment: Environment, ids: readonly string[], code: string): Promise<Valuation> {
  const into = worthOfCurrency(code, await currentRates(environment), Date.now());
  const prices = await pricesNow(environment, ids, 'shown');
  const worths = prices.map((current) => {
    return { worth: worthOfCoin(current), change: current?.ticker.quotes.USD.percent_change_24h };
  });
  return { into, worths };
}

/** At an instant. Loaded only for a request with one. Throws 400 for an invalid one. */
async function worthsThen(
  { environment, deadline }: Dependencies,
  ids: readonly string[],
  { code, at: text }: { readonly code: string; readonly at: string },
): Promise<Valuation> {
  const [{ instantOf }, { worthOfCurrencyAt, worthsAt }] = await Promise.all([
    import('../price/instants.ts'),
    import('../../../shared/marketdata/serve/worth-at.ts'),
  ]);
  const at = instantOf(text, Date.now());
  const [into, worths] = await Promise.all([
    worthOfCurrencyAt(environment, code, at),
    worthsAt(environment, ids, at, { deadline }),
  ]);
  return { into, worths: worths.map((worth) => ({ worth })) };
}

/**
 * Checks what the schema leaves open, so that an error names the holding at fault. Throws 400 for a malformed amount or cost,
 * and for an unknown field: if `Cost` were ignored, the valuation would be wrong.
 */
function checkHoldings(holdings: readonly Holding[]): void {
  for (const [index, holding] of holdings.entries()) {
    const place = `holdings/${index}`;
    refuseUnknown(holding, holdingFields, place);
    const { amount, cost = '0' } = holding;
    if (!AMOUNT.test(amount)) throw invalidParameter(`${place}/amount`, amount, amountWords);
    if (!AMOUNT.test(cost)) throw invalidParameter(`${place}/cost`, cost, amountWords);
  }
}

/** The coin of a holding, or why it cannot be determined. */
async function coinOf({ id, symbol }: Holding, registry: RegistryLookups): Promise<HeldCoin | Reason> {
  if (id !== undefined) {
    const coin = registry.getById(id);
    if (!coin) return unknown(`coin id: ${id}`);
    if (symbol === undefined || symbolKey(symbol) === symbolKey(coin.symbol)) return coin;
    return ambiguous(`The symbol of ${id} is ${coin.symbol}, not ${symbol}; give one of the two`);
  }
  if (symbol === undefined)
    return { reason: 'unnamed', message: 'Neither id nor symbol; give one of the two' };
  if (currencyOf(symbol) !== undefined)
    return ambiguous(`${symbol} is the code of a currency; give a coin of that symbol by its id`);
  return coinOfSymbol(symbol, registry) ?? (await rare()).formerCoin(symbol, registry);
}

function unknown(what: string): Reason {
  return { reason: 'unknown', message: `Unknown ${what}; /api/marketdata/search finds coins` };
}

function ambiguous(message: string): Reason {
  return { reason: 'ambiguous', message };
}

async function positionFields(
  { index, holding, coin, worth, usd, value, change }: HeldPosition,
  total: Decimal,
  into: Worth,
  registry: RegistryLookups,
) {
  const { id, symbol, name } = coin;
  const cost = holding.cost === undefined ? undefined : decimal(holding.cost);
  const profit = cost && quotient(usd.times(into.per).minus(cost.times(into.usd)), into.usd);
  return {
    index,
    id,
    symbol,
    name,
    ...(await relatedCoins(id, coin.predecessor, registry)),
    amount: decimalText(decimal(holding.amount)),
    price: decimalText(converted(ONE, worth, into)),
    value: decimalText(value),
    sharePercent: percentOf(value, total),
    change24hPercent: change ? percentNumber(change) : null,
    cost: cost ? decimalText(cost) : null,
    profit: profit ? decimalText(profit) : null,
    profitPercent: cost && profit ? percentOf(profit, cost) : null,
    ...originFieldsOf(worth.origin),
  };
}

function missingFields(
  index: number,
  { id, symbol, amount }: Holding,
  { coin, at }: { readonly coin: RegistryEntry | Reason; readonly at: string | undefined },
) {
  const isKnown = 'id' in coin;
  const { reason, message } = isKnown ? unpriced(coin.id, at) : coin;
  return {
    index,
    id: isKnown ? coin.id : (id ?? null),
    symbol: symbol ?? null,
    amount: decimalText(decimal(amount)),
    reason,
    message,
  };
}

/** Without a text, which is looked for later, for prices now. */
function unpriced(id: string, at: string | undefined): Reason {
  const then = `No price of ${id} within a day before ${at} is stored; /api/marketdata/price/${encodeURIComponent(id)} may fetch it`;
  return { reason: 'unpriced', message: at === undefined ? '' : then };
}

const rare = () => import('./missing.ts');

await atInit(currentSnapshot, currentRates);
