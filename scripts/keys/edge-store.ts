import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The store of named clients at the edge. */
export interface EdgeStore {
  put(digest: string, client: string): Promise<void>;
  remove(digest: string): Promise<void>;
}

const ATTEMPTS = 5;
/** CloudFront answers it to a change that is based on an older state of the store. */
const CONFLICT = /ConflictException|PreconditionFailed/;
/** The same of a key that the store does not have. */
const MISSING = /ResourceNotFoundException/;

/**
 * A KeyValueStore of CloudFront, through the AWS CLI: this one API takes signatures of version 4A alone, which the CLI
 * can make and the SDK only with a native library of its own.
 */
export function awsEdgeStore(arn: string): EdgeStore {
  const aws = async (command: string, ...args: readonly string[]): Promise<{ ETag: string }> => {
    const all = ['cloudfront-keyvaluestore', command, '--kvs-arn', arn, ...args, '--output', 'json'];
    const { stdout } = await promisify(execFile)('aws', all).catch((error: Error & { stderr?: string }) => {
      if ('code' in error && error.code === 'ENOENT')
        throw new Error(
          'The edge’s store is changed with the AWS CLI, version 2, which is not installed here',
        );
      throw new Error(`The edge’s store was not changed: ${error.stderr?.trim() || error.message}`);
    });
    return JSON.parse(stdout);
  };

  async function change(command: 'put-key' | 'delete-key', ...args: readonly string[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const { ETag: state } = await aws('describe-key-value-store');
      try {
        await aws(command, '--if-match', state, ...args);
        return;
      } catch (error) {
        // An earlier command may have removed it and then failed.
        if (command === 'delete-key' && MISSING.test(String(error))) return;
        if (attempt === ATTEMPTS || !CONFLICT.test(String(error))) throw error;
      }
    }
  }

  return {
    put: (digest, client) => change('put-key', '--key', digest, '--value', client),
    remove: (digest) => change('delete-key', '--key', digest),
  };
}
