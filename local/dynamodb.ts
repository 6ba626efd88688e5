/** The DynamoDB-compatible server of local runs and tests: a process of its own on loopback, in memory. */
import { freePort, startServer } from './loopback.ts';

export interface LocalDynamoDb {
  readonly url: string;
  readonly pid: number | undefined;
  /** Variables with the endpoint and dummy credentials. */
  readonly environment: {
    readonly AWS_ENDPOINT_URL_DYNAMODB: string;
    readonly AWS_REGION: string;
    readonly AWS_ACCESS_KEY_ID: string;
    readonly AWS_SECRET_ACCESS_KEY: string;
  };
  /** Ends the server at once; its data is lost. */
  close(): Promise<void>;
}

const program = `@dynoxide/${process.platform}-${process.arch}/dynoxide`;

/** Starts the server on a free port. Throws an Error if its binary is not installed or fails. */
export async function startDynamoDb(): Promise<LocalDynamoDb> {
  // The server does not support port 0.
  const port = String(await freePort());
  const args = ['--host', '127.0.0.1', '--port', port];
  const { pid, end } = await startServer('DynamoDB server', program, args, /listening on/i);
  const url = `http://127.0.0.1:${port}`;
  const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  return {
    ...{ url, pid },
    environment: { AWS_ENDPOINT_URL_DYNAMODB: url, AWS_REGION: 'us-east-1', ...credentials },
    close: end,
  };
}
