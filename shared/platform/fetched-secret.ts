import type { awsRequests } from './aws-requests.ts';
import { ConfigurationError, noteSecret, readSecret } from './environment.ts';
import { Held } from './held.ts';
import { count } from './metrics.ts';

/** Gives the value of a declared secret. Throws ConfigurationError if there is none. */
export type SecretSource = (name: string) => string | Promise<string>;

/** The text before the name or ARN of a secret in AWS Secrets Manager; any other text is the secret itself. */
export const SECRET_REFERENCE = 'secretsmanager:';

/** The time after which a changed secret is used, without a deployment. */
const FRESH_MS = 5 * 60_000;
const TIME_MS = 2_000;
/** A secret has 64 KB at most, and JSON may write each byte of it in six. */
const MAX_BYTES = 512 * 1024;
/** Keys, URLs and tokens are one word. The console's form makes a JSON object, which is none of them. */
const USABLE = /^[^\s\p{Cc}{][^\s\p{Cc}]*$/u;
const COMMA = / ?, ?/g;

/** The errors of GetSecretValue (Secrets Manager API Reference) that a retry does not change. */
const lasting: ReadonlySet<unknown> = new Set([
  'ResourceNotFoundException',
  'InvalidRequestException', // it is being deleted
  'InvalidParameterException',
  'ValidationException',
  'AccessDeniedException',
  'DecryptionFailure',
]);

/** Secrets by their references. One that was removed, or is unusable by now, must not be used any longer. */
const held = new Held<string>({
  readMs: TIME_MS,
  mayStay: (error) => !(error instanceof ConfigurationError),
  rests: () => true,
  onFailure: (error) => count(error instanceof ConfigurationError ? 'SecretUnusable' : 'SecretFetchFailed'),
});

/**
 * The value of a secret, which its variable holds or names. A named one is fetched at its first use and kept for five
 * minutes; while Secrets Manager does not answer, the last value stays in use. Throws ConfigurationError if the variable is
 * not set, there is no such secret, this function may not read it, or it is not one word; an Error that names nothing if
 * there is no value yet and Secrets Manager fails.
 */
export async function fetchedSecret(name: string): Promise<string> {
  const text = readSecret(name);
  if (!text.startsWith(SECRET_REFERENCE)) return text;
  const source = {
    read: (signal: AbortSignal) => fetchUsable(name, text.slice(SECRET_REFERENCE.length), signal),
    untilOf: (_value: string, now: number) => now + FRESH_MS,
  };
  return held.get(text, source).catch((error: unknown) => {
    if (error instanceof ConfigurationError) throw error;
    throw new Error('A secret of this service cannot be read at the moment; try again', { cause: error });
  });
}

async function fetchUsable(name: string, secretId: string, signal: AbortSignal): Promise<string> {
  if (!process.env.AWS_ACCESS_KEY_ID) throw refused(name, 'there are no AWS credentials');
  const answer = await getSecretValue(secretId, signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return getSecretValue(secretId, signal);
  });
  if ('refusal' in answer) throw refused(name, answer.refusal);
  const value = answer.text.trim();
  noteSecret(name, value);
  // Two URLs of one chain may have a blank after the comma.
  if (USABLE.test(value.replace(COMMA, ','))) return value;
  throw new ConfigurationError(`The secret of ${name} is not one word`);
}

function refused(name: string, reason: string): ConfigurationError {
  return new ConfigurationError(`The secret of ${name} cannot be had: ${reason}`);
}

/** The text of a secret, or why there is none until its configuration changes. */
type SecretText = { readonly text: string } | { readonly refusal: string };

let send: ReturnType<typeof awsRequests> | undefined;

/** One signed POST, without the SDK, which takes four times as long to its first answer. */
async function getSecretValue(secretId: string, signal: AbortSignal): Promise<SecretText> {
  const { accessOfLambda, awsRequests } = await import('./aws-requests.ts'); // loaded with the first request
  if (!send) {
    const access = accessOfLambda('secretsmanager');
    const address = access.endpoint ?? `https://secretsmanager.${access.region}.amazonaws.com`;
    send = awsRequests('secretsmanager', address, access);
  }
  const { status, body } = await send({
    path: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'secretsmanager.GetSecretValue',
    },
    body: JSON.stringify({ SecretId: secretId }),
    timeoutMs: TIME_MS,
    signal,
    maxBytes: MAX_BYTES,
  });
  const answer: Partial<Record<'SecretString' | '__type', unknown>> = JSON.parse(body.toString('utf8'));
  // The type of an error may have its namespace before it.
  const type = String(answer.__type).replace(/^.*#/, '');
  if (lasting.has(type)) return { refusal: type };
  if (status !== 200) throw new Error('no answer to the question');
  return { text: typeof answer.SecretString === 'string' ? answer.SecretString : '' };
}
