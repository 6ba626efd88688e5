import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { type HttpAnswer, onLiveConnection, type Sending, send, TransportError } from './transport.ts';

/** The address of a service, and the credentials for it. */
export interface AwsAccess {
  /** Its address, if it is not the region's own. */
  readonly endpoint?: string;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** Path and query are given as they are, and percent-encoded when they are sent. */
export interface AwsRequest extends Omit<Sending, 'url'> {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** The services by their names in signatures, with the end of the variable for their address. */
const services = { s3: 'S3', dynamodb: 'DYNAMODB', secretsmanager: 'SECRETS_MANAGER' } as const;
type Service = keyof typeof services;

/** The region and the credentials that Lambda gives a function, and the service's `AWS_ENDPOINT_URL_…`. */
export function accessOfLambda(service: Service): AwsAccess {
  return {
    endpoint: process.env[`AWS_ENDPOINT_URL_${services[service]}`] || undefined,
    region: needed('AWS_REGION'),
    credentials: {
      accessKeyId: needed('AWS_ACCESS_KEY_ID'),
      secretAccessKey: needed('AWS_SECRET_ACCESS_KEY'),
      sessionToken: process.env.AWS_SESSION_TOKEN,
    },
  };
}

/**
 * Sends signed requests to one host of an AWS service over kept connections, in place of the AWS SDK, which takes half a
 * second to load on a small share of a processor. A request without a method of its own is sent once
 * more if a kept connection turns out dead, and must be harmless when it arrives twice. It is not sent again
 * after its time limit, as of a process that was frozen meanwhile: its caller has gone on, and others have too.
 * Throws TransportError.
 */
export function awsRequests(
  service: Service,
  address: string,
  { region, credentials }: Pick<AwsAccess, 'region' | 'credentials'>,
): (request: AwsRequest) => Promise<HttpAnswer> {
  // Only S3 signs the path as it is sent; other services sign it encoded once more.
  const uriEscapePath = service !== 's3';
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, uriEscapePath });

  return async ({ path, query = {}, method, headers, body, ...limits }) => {
    const url = new URL(address);
    url.pathname = path.split('/').map(uriEncoded).join('/');
    url.search = Object.entries(query)
      .map((pair) => pair.map(uriEncoded).join('='))
      .join('&');
    const signed = await signer.sign({
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: { ...query },
      headers: { ...headers, host: url.host },
      body,
    });
    const deadline = Date.now() + limits.timeoutMs;
    const once = async () => {
      if (Date.now() > deadline)
        throw new TransportError('timeout', 'a repetition would come too late', 'frozen');
      return send({ url, method, body, headers: signed.headers, ...limits });
    };
    // Callers that change something must know whether it was sent twice.
    return method === undefined ? onLiveConnection(once) : once();
  };
}

/**
 * Percent-encodes all but the unreserved characters (RFC 3986, section 2.3). `encodeURIComponent` leaves five others; S3 signs
 * its own encoding of a name and refuses a signature of any other.
 */
function uriEncoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The signer's input to a hash. */
type SourceData = string | ArrayBuffer | ArrayBufferView;

/** The hash function that the signer needs. */
class Sha256 {
  #hash: ReturnType<typeof createHash | typeof createHmac>;

  constructor(secret?: SourceData) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: SourceData): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('A digest is made once');
  }
}

function bytesOf(data: SourceData): string | Uint8Array {
  if (typeof data === 'string') return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set, which Lambda sets for every function`);
  return value;
}
