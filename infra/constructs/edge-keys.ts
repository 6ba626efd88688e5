import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Function as EdgeFunction,
  FunctionCode,
  FunctionRuntime,
  KeyValueStore,
} from 'aws-cdk-lib/aws-cloudfront';
import { Construct } from 'constructs';
import {
  CLIENT_HEADER,
  GIVEN_KEY,
  KEY_HEADERS,
  KEY_PARAMETER_PATHS,
  KEY_PARAMETERS,
  KNOWN_NAME,
} from '../../shared/http/client-key.ts';

/** Part of the cache key: the same for all named clients, otherwise the digest of what was given as a key. */
export const CACHE_CLASS_HEADER = 'x-client-class';

const names = {
  KEY_HEADERS,
  KEY_PARAMETERS,
  KEY_PARAMETER_PATHS,
  CLIENT_HEADER,
  CACHE_CLASS_HEADER,
  GIVEN_KEY,
  KNOWN_NAME,
};

/** What runs at the edge before the cache is looked into, and the store of the named clients that it looks keys up in. */
export class EdgeKeys extends Construct {
  readonly store: KeyValueStore;
  readonly function: EdgeFunction;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.store = new KeyValueStore(this, 'Store', { comment: 'Named clients by the digests of their keys' });
    const constants = Object.entries(names).map(
      ([name, value]) => `const ${name} = ${JSON.stringify(value)};`,
    );
    const [statement, code] = readFileSync(join(import.meta.dirname, 'edge-function.js'), 'utf8').split(
      /(?<=^import .*\n)/,
    );
    this.function = new EdgeFunction(this, 'Request', {
      comment: 'Takes the key out of the request, and sorts the query without names that begin with _',
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline([statement, ...constants, code].join('\n')),
      keyValueStore: this.store,
    });
  }
}
