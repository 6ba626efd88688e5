/** The network of simulated functions: Node's HTTP client, with latencies in virtual time; every request is counted. */
import http from 'node:http';
import { Readable, Writable } from 'node:stream';
import { HISTORY_PREFIX } from '../../shared/marketdata/store/names.ts';
import { owner, type VirtualClock } from './clock.ts';

interface Sent {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Received {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

type OnResponse = (response: http.IncomingMessage) => void;

/** The owner of an address: `s3`, `table`, or the name of a source. */
export type NameOf = (url: URL) => string | undefined;

/** Milliseconds until a response, for the network and the service behind it. */
export const LATENCY_MS = { s3: 15, table: 5, source: 150 };

/** The weight of the requests in a minute so far, of the one exchange that counts it. */
const USED_WEIGHT = 'x-mbx-used-weight-1m';

/** The requests to a source in its busiest second and minute of virtual time. */
export class Load {
  readonly second = new Busiest(1_000);
  readonly minute = new Busiest(60_000);
  /** The most that the source has reported for a minute; 0 if it reports none. */
  weight = 0;

  add(time: number, weight: number): this {
    this.second.count(time);
    this.minute.count(time);
    this.weight = Math.max(this.weight, weight);
    return this;
  }
}

class Busiest {
  most = 0;
  readonly #lengthMs: number;
  #current = Number.NaN;
  #count = 0;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  count(time: number): void {
    const current = Math.floor(time / this.#lengthMs);
    if (current !== this.#current) [this.#current, this.#count] = [current, 0];
    this.#count += 1;
    this.most = Math.max(this.most, this.#count);
  }
}

export class Network {
  /** Counts by `<owner>\t<what>`: S3's `get`, `put`, `list` and bytes put, those of the history again, the table's rows `read` and `write`, or a source. */
  readonly counts = new Map<string, number>();
  /** By source. */
  readonly loads = new Map<string, Load>();
  readonly #clock: VirtualClock;
  readonly #nameOf: NameOf;
  readonly #agent = new http.Agent({ keepAlive: true });

  constructor(clock: VirtualClock, nameOf: NameOf) {
    this.#clock = clock;
    this.#nameOf = nameOf;
  }

  /** Replaces `node:http` and `node:https`, whose `request` takes a URL or has it among its options. */
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

  /** The server acts at once, in real time, and its response arrives when it is due. */
  async #answer(sent: Sent): Promise<Received> {
    const name = this.#nameOf(sent.url);
    if (!name) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const sentAt = this.#clock.now();
    const answer = await this.#clock.during(this.#forward(sent));
    if (name === 's3') {
      const kind = sent.url.searchParams.has('list-type') ? 'list' : sent.method.toLowerCase();
      this.#count(kind);
      this.#count(`bytes ${kind}`, sent.body.length);
      if (sent.url.pathname.includes(`/${HISTORY_PREFIX}`))
        this.#count(`history bytes ${kind}`, sent.body.length);
    } else if (name === 'table') {
      const isRead = /Get/.test(sent.headers['x-amz-target'] ?? '');
      this.#count(isRead ? 'read' : 'write', isRead ? sent.body.toString().split('{"S":').length - 1 : 1);
    } else {
      const load = this.loads.get(name) ?? new Load();
      this.loads.set(name, load.add(sentAt, Number(answer.headers[USED_WEIGHT] ?? 0)));
      this.#count(answer.status === 429 ? `${name} 429` : name);
    }
    await this.#clock.sleep(name === 's3' || name === 'table' ? LATENCY_MS[name] : LATENCY_MS.source);
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

/** The part of `http.ClientRequest` that the service and the AWS SDK use. */
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
      ({ status, headers, body }) => {
        if (this.destroyed) return;
        const response = Readable.from([body], { objectMode: false });
        this.emit('response', Object.assign(response, { statusCode: status, headers }));
      },
      (error: Error) => this.destroy(error),
    );
  }

  setTimeout(): void {}
  setNoDelay(): void {}
  setSocketKeepAlive(): void {}
}
