/** The network of simulated functions: Node's HTTP client, with latencies in virtual time; every request is counted. */
import http from 'node:http';
import { Readable, Writable } from 'node:stream';
import { owner, type VirtualClock } from './clock.ts';
import { Bucket } from './s3.ts';

export interface Sent {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Received {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: Uint8Array | string;
}

type OnResponse = (response: http.IncomingMessage) => void;

/** Milliseconds until an answer, as far as the network and the service behind it take them. */
export const LATENCY_MS = { s3: 15, table: 5, source: 150 };
export const S3_URL = 'http://s3.simulated';

export class Network {
  readonly bucket = new Bucket();
  /** By `<owner>\t<what>`: of S3 `get`, `put`, `list` and their bytes, rows of the table `read`, `write`, a source’s name. */
  readonly counts = new Map<string, number>();
  readonly #clock: VirtualClock;
  readonly #tableUrl: string;
  readonly #nameOf: (origin: string) => string | undefined;
  readonly #agent = new http.Agent({ keepAlive: true });

  /** `nameOf`: of the source at an address. */
  constructor(clock: VirtualClock, tableUrl: string, nameOf: (origin: string) => string | undefined) {
    this.#clock = clock;
    this.#tableUrl = tableUrl;
    this.#nameOf = nameOf;
  }

  /** In place of `node:http` and `node:https`, whose `request` takes a URL or has it among its options. */
  readonly module = {
    ...http,
    request: (first: URL | http.RequestOptions, ...rest: (http.RequestOptions | OnResponse)[]) => {
      const options = [first, ...rest].find((one) => !(one instanceof URL) && typeof one !== 'function');
      const { hostname, host = hostname, port, path, ...others } = (options ?? {}) as http.RequestOptions;
      const { method = 'GET', headers = {}, signal } = others;
      const url =
        first instanceof URL ? first : new URL(path ?? '/', `http://${hostname ?? host}:${port ?? 80}`);
      const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
      const sent = { method, url, headers: Object.fromEntries(named) };
      const request = new ClientRequest((body) => this.#answer({ ...sent, body }));
      const onResponse = rest.find((one) => typeof one === 'function');
      if (onResponse) request.on('response', onResponse);
      signal?.addEventListener('abort', () => request.destroy(signal.reason), { once: true });
      if ('expect' in sent.headers) setImmediate(() => request.emit('continue'));
      return request;
    },
  };

  #count(what: string, by = 1): void {
    const key = `${owner.getStore() ?? 'bench'}\t${what}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  /** S3 acts when its answer is due; others at once, in real time, and are heard when it is due. */
  async #answer(sent: Sent): Promise<Received> {
    const { origin } = sent.url;
    if (origin === S3_URL) {
      await this.#clock.sleep(LATENCY_MS.s3);
      const { kind, bytes, ...answer } = this.bucket.answer(sent);
      this.#count(kind);
      this.#count(`${kind} bytes`, bytes);
      return answer;
    }
    const source = origin === this.#tableUrl ? 'table' : this.#nameOf(origin);
    if (!source) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const answer = await this.#clock.during(this.#forward(sent));
    if (source !== 'table') this.#count(answer.status === 429 ? `${source} 429` : source);
    else if (/Get/.test(sent.headers['x-amz-target'] ?? ''))
      this.#count('read', sent.body.toString().split('{"S":').length - 1);
    else this.#count('write');
    await this.#clock.sleep(source === 'table' ? LATENCY_MS.table : LATENCY_MS.source);
    return answer;
  }

  #forward({ method, url, headers, body }: Sent): Promise<Received> {
    const { promise, resolve, reject } = Promise.withResolvers<Received>();
    const request = http.request(url, { method, headers, agent: this.#agent }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
    });
    request.on('error', reject).end(body.length > 0 ? body : undefined);
    return promise;
  }
}

/** As much of `http.ClientRequest` as the service and the AWS SDK use. */
class ClientRequest extends Writable {
  readonly reusedSocket = false;
  readonly #chunks: Buffer[] = [];
  readonly #send: (body: Buffer) => Promise<Received>;

  constructor(send: (body: Buffer) => Promise<Received>) {
    super({ autoDestroy: false });
    this.#send = send;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  override _final(done: () => void): void {
    done();
    this.#send(Buffer.concat(this.#chunks)).then(
      ({ status, headers, body = '' }) => {
        if (this.destroyed) return;
        const response = Readable.from([Buffer.from(body as Uint8Array)], { objectMode: false });
        const named = { 'content-length': String(Buffer.byteLength(body)), ...headers };
        this.emit('response', Object.assign(response, { statusCode: status, headers: named }));
      },
      (error: Error) => this.destroy(error),
    );
  }

  setTimeout(): void {}
  setNoDelay(): void {}
  setSocketKeepAlive(): void {}
}
