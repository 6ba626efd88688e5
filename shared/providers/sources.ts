/** The sources that jobs alone ask: apart from `index.ts`, so that no route's function holds them. */
import { gatedContracts, gatedExchange, gatedTokens } from '../marketdata/gate/gated.ts';
import { gatedRates } from '../marketdata/gate/rates.ts';
import type { Offer, Offering } from '../marketdata/provider.ts';
import type { ProviderClient } from '../marketdata/provider-client.ts';
import type { Environment, EnvironmentName } from '../platform/environment.ts';
import { binance } from './binance.ts';
import { type ClientOptions, createClient } from './client.ts';
import { coinbase } from './coinbase.ts';
import { coingecko } from './coingecko.ts';
import { defillama } from './defillama.ts';
import { ecb } from './ecb.ts';
import { providerOf, SCHEDULED_BODY_BYTES, SCHEDULED_TIME_MS } from './index.ts';
import { kraken } from './kraken.ts';

export type ExchangeOffer = 'markets' | 'quotes' | 'marketCandles';
export type Exchange = Offering<ExchangeOffer>;
export type TokenOffers = 'tokenPrices' | 'tokenHistory';
export type IdOffers = 'listedCoins' | 'listedPrices';

/** By name, behind the gate; CANDLE_SOURCES says which of them is preferred. */
export const exchanges: ReadonlyMap<string, Exchange> = new Map(
  [coinbase, kraken, binance].map((exchange): [string, Exchange] => [exchange.name, gatedExchange(exchange)]),
);
/** Who prices tokens; TOKEN_SOURCES says in which order they are asked. */
export const tokenSources: readonly Offering<TokenOffers>[] = [defillama];
/** Who publishes what a euro is worth. */
export const ratesSource: Offering<'rates' | 'pastRates'> = ecb;
/** Whose ids are matched with ours, unless ID_SOURCES is empty. */
export const idSource: Offering<IdOffers> = coingecko;

/** What jobs that ask exchanges read of the environment. */
export const sourceSettings: readonly EnvironmentName[] = [
  'CANDLE_SOURCES',
  ...[...exchanges.values()].map(({ settings }) => settings.baseUrl),
];
/** Every environment variable that a source of token prices reads. */
export const tokenSourceSettings = tokenSources.map(({ settings }) => settings.baseUrl);

/** For one answer of an exchange or a source of tokens, with its turn and its retry, in milliseconds. */
const SOURCE_TIME_MS = 15_000;
/** For the rates with their retry, in milliseconds. */
export const RATES_TIME_MS = 10_000;
export const PAST_RATES_TIME_MS = 30_000;
/** A day's rates are 2 KB. */
const RATES_BODY_BYTES = 256 * 1024;
/** Those of all days since 1999 are 8 MB. */
const PAST_RATES_BODY_BYTES = 16 * 1024 * 1024;

/** The exchanges that are to be asked, the preferred one first. */
export function exchangesOf({ CANDLE_SOURCES: names }: Pick<Environment, 'CANDLE_SOURCES'>): Exchange[] {
  return names.split(',').flatMap((name) => exchanges.get(name) ?? []);
}

/** A client for scheduled work, of a provider whose requests cost nothing of the month's budget. */
export function sourceClientFor<O extends Offer = ExchangeOffer>(
  environment: Environment,
  provider: Offering<O>,
): ProviderClient<O> {
  return clientOf(environment, provider, SOURCE_TIME_MS);
}

/** The clients of those that TOKEN_SOURCES names, in its order. */
export function tokenClientsFor(environment: Environment): ProviderClient<TokenOffers>[] {
  return environment.TOKEN_SOURCES.split(',').flatMap((name) => {
    const source = tokenSources.find((one) => one.name === name);
    return source ? [sourceClientFor<TokenOffers>(environment, gatedTokens(source))] : [];
  });
}

/** Who is asked for contracts, once a week, from what is kept for scheduled work. */
export function contractsClientFor(environment: Environment): ProviderClient<'platforms' | 'contracts'> {
  return clientOf(environment, gatedContracts(providerOf('platforms', 'contracts')), SCHEDULED_TIME_MS);
}

export function ratesClientFor(environment: Environment): ProviderClient<'rates'> {
  return clientOf(environment, gatedRates(ratesSource), RATES_TIME_MS, RATES_BODY_BYTES);
}

export function pastRatesClientFor(environment: Environment): ProviderClient<'pastRates'> {
  return clientOf(environment, gatedRates(ratesSource), PAST_RATES_TIME_MS, PAST_RATES_BODY_BYTES);
}

/** Undefined if ID_SOURCES is empty. */
export function idClientFor(environment: Environment): ProviderClient<IdOffers> | undefined {
  if (environment.ID_SOURCES === '') return undefined;
  return clientOf(environment, idSource, SCHEDULED_TIME_MS);
}

/** Lists of all markets, and all contracts of a chain, are some megabytes. */
function clientOf<O extends Offer>(
  environment: Environment,
  provider: Offering<O>,
  timeoutMs: number,
  maxBodyBytes = SCHEDULED_BODY_BYTES,
): ProviderClient<O> {
  const options: ClientOptions = { maxBodyBytes, timeoutMs, purpose: 'scheduled' };
  return createClient(provider, environment, options);
}
