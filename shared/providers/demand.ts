/** Options of a request that fetches data which no store has. The providers are loaded only then. */
import type { Dependencies } from '../http/endpoint.ts';
import type { RegistryEntry } from '../registry/entries.ts';

type Request = Pick<Dependencies, 'environment' | 'deadline' | 'payer'>;

const providers = () => import('./index.ts');

/** For `priceNow`. */
export function tickerDemand({ environment, deadline, payer }: Request, coin: RegistryEntry | undefined) {
  const open = async () => (await providers()).clientFor(environment, 'demand');
  return { coin, deadline, client: payer, open };
}

/** For `chart` and `pricesAt`. */
export function historyDemand({ environment, deadline, payer }: Request, coin: RegistryEntry | undefined) {
  const open = async (purpose: 'demand' | 'leftover') => (await providers()).clientFor(environment, purpose);
  return { coin, deadline, client: payer, open };
}
