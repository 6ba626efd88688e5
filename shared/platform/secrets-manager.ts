import { accessOfLambda, awsRequests } from './aws-requests.ts';

/** The text of a secret, or why there is none as long as nobody changes something. */
type SecretAnswer = { readonly text: string } | { readonly refusal: string };

/** A secret has 64 KB at most, and JSON may write each byte of it in six. */
const MAX_BYTES = 512 * 1024;
const SECOND_TRY_MS = 100;

/** The errors of GetSecretValue (Secrets Manager API Reference) that another try does not change. */
const lasting: ReadonlySet<unknown> = new Set([
  'ResourceNotFoundException',
  'InvalidRequestException', // it is being deleted
  'InvalidParameterException',
  'ValidationException',
  'AccessDeniedException',
  'DecryptionFailure',
]);

/**
 * Asks AWS Secrets Manager for secrets: one signed POST, without the SDK, which takes four times as long to its first
 * answer. Fails if Secrets Manager has not given an answer of its own in time, after a second try.
 */
export function secretsManager(): (secretId: string, timeoutMs: number) => Promise<SecretAnswer> {
  let opened: ReturnType<typeof awsRequests> | undefined;

  const ask = async (secretId: string, timeoutMs: number): Promise<SecretAnswer> => {
    opened ??= open();
    const { status, body } = await opened({
      path: '/',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'secretsmanager.GetSecretValue',
      },
      body: JSON.stringify({ SecretId: secretId }),
      timeoutMs,
      maxBytes: MAX_BYTES,
    });
    return answerIn(status, JSON.parse(body.toString('utf8')));
  };

  return async (secretId, timeoutMs) => {
    if (!process.env.AWS_ACCESS_KEY_ID) return { refusal: 'there are no AWS credentials' };
    const deadline = Date.now() + timeoutMs;
    return ask(secretId, timeoutMs).catch((error: unknown) => {
      const leftMs = deadline - Date.now();
      if (leftMs < SECOND_TRY_MS) throw error;
      return ask(secretId, leftMs);
    });
  };
}

function open(): ReturnType<typeof awsRequests> {
  const access = accessOfLambda('secretsmanager');
  const address = access.endpoint ?? `https://secretsmanager.${access.region}.amazonaws.com`;
  return awsRequests('secretsmanager', address, access);
}

function answerIn(status: number, answer: Partial<Record<'SecretString' | '__type', unknown>>): SecretAnswer {
  // The type of an error may have its namespace before it.
  const type = String(answer.__type).replace(/^.*#/, '');
  if (lasting.has(type)) return { refusal: type };
  if (status !== 200) throw new Error('no answer to the question');
  return { text: typeof answer.SecretString === 'string' ? answer.SecretString : '' };
}
