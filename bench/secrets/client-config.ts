import type { SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';

/** Lambda's credentials, named: looking for others would load a chain of providers first. */
export function clientConfig(): SecretsManagerClientConfig {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
    AWS_SESSION_TOKEN: sessionToken = '',
  } = process.env;
  return { credentials: { accessKeyId, secretAccessKey, sessionToken }, maxAttempts: 1 };
}
