/** The sources that only jobs use: apart from `index.ts`, so that no route's bundle contains them. */
import { gatedContracts, gatedExchange, gatedListings, gatedTokens } from '../marketdata/gate/gated.ts';
import { gatedBlend, gatedRates } from '../marketdata/gate/rates.ts';
import type { Offer, Offering, ProviderClient } from '../marketdata/provider.ts';
import type { Environment, EnvironmentName } from '../platform/environment.ts';
import { binance } from './binance.ts';
import { coinbase } from './coinbase.ts';
import { coingecko } from './coingecko.ts';
import { defillama } from './defillama.ts';
import { ecb } from './ecb.ts';
import { frankfurter } from './frankfurter.ts';
import { coinProvider, scheduledClient } from './index.ts';
import { kraken } from './kraken.ts';

export type ExchangeOffer = 'markets' | 'quotes' | 'marketCandles';
export type Exchange = Offering<ExchangeOffer>;
export type TokenOffers = 'tokenPrices' | 'tokenHistory';
export type RatesOffers = 'rates' | 'pastRates';
export type IdOffers = 'listedCoins' | 'listedPrices';

/** By name, behind the gate; CANDLE_SOURCES orders them by preference. */
export const exchanges: ReadonlyMap<string, Exchange> = new Map(
  [coinbase, kraken, binance].map((exchange): [string, Exchange] => [exchange.name, gatedExchange(exchange)]),
);
/** Sources of token prices; TOKEN_SOURCES orders them. */
export const tokenSources: readonly Offering<TokenOffers>[] = [defillama];
/**
 * The sources of the euro's exchange rates: the bank whose reference rates come first and are the measure, and the one that has
 * all other currencies.
 */
export const ratesSources = { reference: ecb, blend: frankfurter } as const satisfies Record<
  string,
  Offering<RatesOffers>
>;
/** The list whose ids are matched with ours, unless ID_SOURCES is empty. */
export const idSource: Offering<IdOffers> = coingecko;

/** Environment variables of jobs that use exchanges. */
export const sourceSettings: readonly EnvironmentName[] = [
  'CANDLE_SOURCES',
  ...[...exchanges.values()].map(({ settings }) => settings.baseUrl),
];
/** Every environment variable that a source of token prices reads. */
export const tokenSourceSettings = tokenSources.map(({ settings }) => settings.baseUrl);

/** For one response of an exchange or a source of tokens, with its turn and its retry, in milliseconds. */
const SOURCE_TIME_MS = 15_000;
/** For the rates of all days, which are up to 8 MB, some of them computed for the request. */
const PAST_RATES_TIME_MS = 60_000;

/** The configured exchanges, the preferred one first. */
export function exchangesOf({ CANDLE_SOURCES: names }: Pick<Environment, 'CANDLE_SOURCES'>): Exchange[] {
  return names.split(',').flatMap((name) => exchanges.get(name) ?? []);
}

/** A client of a source whose requests cost nothing of the month's budget. */
export function sourceClientFor<O extends Offer = ExchangeOffer>(
  environment: Environment,
  provider: Offering<O>,
): ProviderClient<O> {
  return scheduledClient(environment, provider, SOURCE_TIME_MS);
}

/** The clients of the sources in TOKEN_SOURCES, in its order. */
export function tokenClientsFor(environment: Environment): ProviderClient<TokenOffers>[] {
  return environment.TOKEN_SOURCES.split(',').flatMap((name) => {
    const source = tokenSources.find((one) => one.name === name);
    return source ? [sourceClientFor<TokenOffers>(environment, gatedTokens(source))] : [];
  });
}

export function contractsClientFor(environment: Environment): ProviderClient<'platforms' | 'contracts'> {
  return scheduledClient(environment, gatedContracts(coinProvider));
}

export function listingsClientFor(environment: Environment): ProviderClient<'exchangeMarkets'> {
  return scheduledClient(environment, gatedListings(coinProvider));
}

/** The clients of both sources of rates. */
export function ratesClientsFor(environment: Environment) {
  const { reference, blend } = ratesSources;
  return {
    reference: scheduledClient<RatesOffers>(environment, gatedRates(reference), PAST_RATES_TIME_MS),
    blend: scheduledClient<RatesOffers>(environment, gatedBlend(blend), PAST_RATES_TIME_MS),
  };
}

/** Undefined if ID_SOURCES is empty. */
export function idClientFor(environment: Environment): ProviderClient<IdOffers> | undefined {
  return environment.ID_SOURCES === '' ? undefined : scheduledClient(environment, idSource);
}
