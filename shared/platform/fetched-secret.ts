import { ConfigurationError } from './configuration-error.ts';
import { noteSecret, readSecret } from './environment.ts';
import { count } from './metrics.ts';

/** Gives the value of a declared secret. Throws ConfigurationError if there is none. */
export type SecretSource = (name: string) => string | Promise<string>;

/** A variable that begins so has the name or ARN of a secret in AWS Secrets Manager; any other is the secret itself. */
export const SECRET_REFERENCE = 'secretsmanager:';

/** A changed secret is taken after this time, without a deployment. */
const FRESH_MS = 5 * 60_000;
const RETRY_MS = 5_000;
const TIME_MS = 2_000;
/** Keys, URLs and tokens are one word. The console's form makes a JSON object, which is none of them. */
const USABLE = /^[^\s\p{Cc}{][^\s\p{Cc}]*$/u;
const COMMA = / ?, ?/g;

interface Attempt {
  readonly begunAt: number;
  /** So long its outcome is the secret. While it runs, as long as it may: one that was frozen halfway is over. */
  keptMs: number;
  /** The last usable value. */
  value: string | undefined;
}

const attempts = new Map<string, Attempt & { readonly outcome: Promise<string> }>();

/**
 * The value of a secret, which its variable holds or names. A named one is fetched at its first use and kept for five
 * minutes; while Secrets Manager cannot be asked, the last value goes on. Throws ConfigurationError if the variable is
 * not set, there is no such secret, this function may not read it, or it is not one word; an Error that names nothing if
 * there is no value yet and Secrets Manager cannot be asked.
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
    // What was taken away or is wrong by now must not be used any longer.
    if (error instanceof ConfigurationError) attempt.value = undefined;
    if (attempt.value === undefined) throw error;
    return attempt.value;
  };
  return Object.assign(attempt, { outcome: fetchUsable(name, secretId).then(succeed, fail) });
}

async function fetchUsable(name: string, secretId: string): Promise<string> {
  const answer = await ask(secretId);
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

let manager: Promise<ReturnType<typeof import('./secrets-manager.ts').secretsManager>> | undefined;

async function ask(secretId: string) {
  try {
    manager ??= import('./secrets-manager.ts').then(({ secretsManager }) => secretsManager());
    return await (await manager)(secretId, TIME_MS);
  } catch {
    count('SecretFetchFailed');
    throw new Error('A secret of this service cannot be read at the moment; try again');
  }
}
