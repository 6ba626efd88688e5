import type { awsRequests } from './aws-requests.ts';
import { ConfigurationError, noteSecret, readSecret } from './environment.ts';
import { count } from './metrics.ts';

/** Gives the value of a declared secret. Throws ConfigurationError if there is none. */
export type SecretSource = (name: string) => string | Promise<string>;

/** Before the name or ARN of a secret in AWS Secrets Manager; any other text is the secret itself. */
export const SECRET_REFERENCE = 'secretsmanager:';

/** After this time a changed secret is used, without a deployment. */
const FRESH_MS = 5 * 60_000;
const RETRY_MS = 5_000;
const TIME_MS = 2_000;
const SECOND_TRY_MS = 100;
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

interface Attempt {
  readonly begunAt: number;
  /** How long its outcome is used. While it runs, that is its time-out, so an attempt that froze halfway is over. */
  keptMs: number;
  /** The last usable value. */
  value: string | undefined;
}

const attempts = new Map<string, Attempt & { readonly outcome: Promise<string> }>();

/**
 * The value of a secret, which its variable holds or names. A named one is fetched at its first use and kept for five
 * minutes; while Secrets Manager does not answer, the last value goes on. Throws ConfigurationError if the variable is
 * not set, there is no such secret, this function may not read it, or it is not one word; an Error that names nothing if
 * there is no value yet and Secrets Manager fails.
 */
export async function fetchedSecret(name: string): Promise<string> {
  const text = readSecret(name);
  if (!text.startsWith(SECRET_REFERENCE)) return text;
  let attempt = attempts.get(text);
  if (!attempt || Math.abs(Date.now() - attempt.begunAt) >= attempt.keptMs) {
    attempt = begin(name, text.slice(SECRET_REFERENCE.length), attempt?.value);
    attempts.set(text, attempt);
  }
  return attempt.outcome;
}

function begin(name: string, secretId: string, former: string | undefined) {
  const attempt: Attempt = { begunAt: Date.now(), keptMs: TIME_MS, value: former };
  const succeed = (value: string): string => {
    attempt.keptMs = FRESH_MS;
    attempt.value = value;
    return value;
  };
  const fail = (error: unknown): string => {
    attempt.keptMs = RETRY_MS;
    // A secret that was removed or is unusable by now must not be used any longer.
    if (error instanceof ConfigurationError) attempt.value = undefined;
    if (attempt.value === undefined) throw error;
    return attempt.value;
  };
  return Object.assign(attempt, { outcome: fetchUsable(name, secretId).then(succeed, fail) });
}

async function fetchUsable(name: string, secretId: string): Promise<string> {
  const answer = await fetchText(secretId).catch(() => {
    count('SecretFetchFailed');
    throw new Error('A secret of this service cannot be read at the moment; try again');
  });
  if ('refusal' in answer) {
    count('SecretUnusable');
    throw new ConfigurationError(`The secret of ${name} cannot be had: ${answer.refusal}`);
  }
  const value = answer.text.trim();
  noteSecret(name, value);
  // Two URLs of one chain may have a blank after the comma.
  if (!USABLE.test(value.replace(COMMA, ','))) {
    count('SecretUnusable');
    throw new ConfigurationError(`The secret of ${name} is not one word`);
  }
  return value;
}

/** The text of a secret, or why there is none until its configuration changes. */
type SecretText = { readonly text: string } | { readonly refusal: string };

/** Throws if Secrets Manager gives no answer of its own in time, after a second try. */
async function fetchText(secretId: string): Promise<SecretText> {
  if (!process.env.AWS_ACCESS_KEY_ID) return { refusal: 'there are no AWS credentials' };
  const deadline = Date.now() + TIME_MS;
  return getSecretValue(secretId, TIME_MS).catch((error: unknown) => {
    const leftMs = deadline - Date.now();
    if (leftMs < SECOND_TRY_MS) throw error;
    return getSecretValue(secretId, leftMs);
  });
}

let send: ReturnType<typeof awsRequests> | undefined;

/** One signed POST, without the SDK, which takes four times as long to its first answer. */
async function getSecretValue(secretId: string, timeoutMs: number): Promise<SecretText> {
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
    timeoutMs,
    maxBytes: MAX_BYTES,
  });
  const answer: Partial<Record<'SecretString' | '__type', unknown>> = JSON.parse(body.toString('utf8'));
  // The type of an error may have its namespace before it.
  const type = String(answer.__type).replace(/^.*#/, '');
  if (lasting.has(type)) return { refusal: type };
  if (status !== 200) throw new Error('no answer to the question');
  return { text: typeof answer.SecretString === 'string' ? answer.SecretString : '' };
}
