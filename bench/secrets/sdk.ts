/** The SDK's client in place of one signed call, with everything turned off that costs a first call time. */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { clientConfig } from './client-config.ts';

export function secretsManager() {
  const client = new SecretsManagerClient(clientConfig());
  return async (SecretId: string) => {
    const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
    return { text: SecretString };
  };
}
