/**
 * Stands in for AWS Secrets Manager, which cannot run here: its one call GetSecretValue in JSON 1.1, for requests that
 * carry a signature for it. What a right signature is, the tests of shared/platform/aws-requests.ts check.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startLoopback } from '../pipeline/loopback.ts';

export interface LocalSecretsManager {
  /** Variables that lead a function to it, with credentials. */
  readonly environment: Readonly<Record<string, string>>;
  /** The secrets by name; a change is a new version. */
  readonly secrets: Map<string, string | Buffer>;
  /** The requested names, in order. */
  readonly asked: string[];
  /** Answers in place of it; undefined: as it should be. */
  misbehave: RequestListener | undefined;
  close(): Promise<void>;
}

const REGION = 'us-east-1';
/** The credentials of the other servers on this machine, for functions that use several of them. */
const credentials = {
  accessKeyId: 'test',
  secretAccessKey: 'test',
  sessionToken: 'session+of/the=function',
};

export async function startSecretsManager(
  initial: Readonly<Record<string, string>> = {},
): Promise<LocalSecretsManager> {
  const secrets = new Map<string, string | Buffer>(Object.entries(initial));
  const asked: string[] = [];
  const state: Pick<LocalSecretsManager, 'misbehave'> = { misbehave: undefined };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const { SecretId: name = '' } = JSON.parse(body) as { SecretId?: string };
    asked.push(name);
    if (state.misbehave) return state.misbehave(request, response);
    if (!isSigned(request)) return refuse(response, 'InvalidSignatureException');
    if (request.headers['x-amz-target'] !== 'secretsmanager.GetSecretValue') {
      return refuse(response, 'UnknownOperationException');
    }
    const value = secrets.get(name);
    if (value === undefined) return refuse(response, 'ResourceNotFoundException');
    const content =
      typeof value === 'string' ? { SecretString: value } : { SecretBinary: value.toString('base64') };
    send(response, 200, { ARN: `arn:aws:secretsmanager:${REGION}:0:secret:${name}-AbCdEf`, ...content });
  };
  const server = await startLoopback((request, response) => void answer(request, response));
  const environment = {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: server.url,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
  };
  return Object.assign(state, { environment, secrets, asked, close: server.close });
}

/** Secrets Manager refuses so, with a type and a text. */
export function refuse(
  response: ServerResponse,
  type: string,
  message = `about ${type}`,
  status = 400,
): void {
  send(response, status, { __type: `com.amazonaws.secretsmanager#${type}`, message });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
}

function isSigned({ headers }: IncomingMessage): boolean {
  const { authorization = '', 'x-amz-security-token': token } = headers;
  return (
    authorization.includes(`/${REGION}/secretsmanager/aws4_request,`) && token === credentials.sessionToken
  );
}
