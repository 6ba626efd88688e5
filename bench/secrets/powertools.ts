/** Powertools Parameters in place of one signed call. */
import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import { clientConfig } from './client-config.ts';

export function secretsManager() {
  const provider = new SecretsProvider({ clientConfig: clientConfig() });
  return async (name: string) => ({ text: (await provider.get(name, { maxAge: 300 })) ?? '' });
}
