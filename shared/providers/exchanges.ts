/** The other sources, which jobs alone ask: apart from `index.ts`, so that no route's function holds them. */
import { gatedExchange } from '../marketdata/gate/gated.ts';
import type { Offer, Offering } from '../marketdata/provider.ts';
import type { ProviderClient } from '../marketdata/provider-client.ts';
import type { Environment, EnvironmentName } from '../platform/environment.ts';
import { binance } from './binance/index.ts';
import { createClient } from './client/client.ts';
import { coinbase } from './coinbase/index.ts';
import { kraken } from './kraken/index.ts';

export type ExchangeOffer = 'markets' | 'quotes' | 'marketCandles';
export type Exchange = Offering<ExchangeOffer>;

/** By name, behind the gate; which of them is preferred is for CANDLE_SOURCES to say. */
export const exchanges: ReadonlyMap<string, Exchange> = new Map(
  [coinbase, kraken, binance].map((exchange): [string, Exchange] => [exchange.name, gatedExchange(exchange)]),
);

/** What jobs that ask exchanges read of the environment. */
export const sourceSettings: readonly EnvironmentName[] = [
  'CANDLE_SOURCES',
  ...[...exchanges.values()].map(({ settings }) => settings.baseUrl),
];

/** Lists of all markets are some megabytes. */
const BODY_BYTES = 32 * 1024 * 1024;
/** For one answer with its turn and its retry. */
const TIME_MS = 15_000;

/** The exchanges that are to be asked, the preferred one first. */
export function exchangesOf({ CANDLE_SOURCES: names }: Pick<Environment, 'CANDLE_SOURCES'>): Exchange[] {
  return names.split(',').flatMap((name) => exchanges.get(name) ?? []);
}

/** A client for scheduled work, of a provider whose requests cost nothing of the month's budget. */
export function sourceClientFor<O extends Offer = ExchangeOffer>(
  environment: Environment,
  provider: Offering<O>,
): ProviderClient<O> {
  return createClient(provider, environment, {
    maxBodyBytes: BODY_BYTES,
    timeoutMs: TIME_MS,
    purpose: 'scheduled',
  });
}
