/** A proxy in front of the table's server that applies a write and cuts its connection in place of an answer. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { SharedTable } from '../../shared/platform/table.ts';
import { type Loopback, startLoopback } from '../pipeline/loopback.ts';

interface Cut {
  /** The writes before the one that is cut; none by default. */
  readonly after?: number;
  /** Happens after the write was applied and before the connection is cut, as while its process is frozen. */
  readonly meanwhile?: () => Promise<unknown>;
}

export interface CuttingProxy extends Pick<Loopback, 'url' | 'close'> {
  /** Cuts one write; resolves when that has happened. */
  cutWrite(cut?: Cut): Promise<unknown>;
  /** The writes since the last `cutWrite`, with the repetition. */
  readonly writes: number;
}

export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  let writes = 0;
  let cutting: (Required<Cut> & { readonly done: PromiseWithResolvers<unknown> }) | undefined;

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const action = String(request.headers['x-amz-target']);
    const own = action.endsWith('.UpdateItem') && writes++ === cutting?.after ? cutting : undefined;
    if (own) cutting = undefined;
    const onward = http.request(target, { method: 'POST', headers: request.headers, agent: false });
    request.pipe(onward);
    const [answer]: IncomingMessage[] = await once(onward, 'response');
    const body = Buffer.concat((await answer?.toArray()) ?? []);
    if (!own) {
      response.writeHead(answer?.statusCode ?? 500, answer?.headers).end(body);
      return;
    }
    await own.meanwhile().then(own.done.resolve, own.done.reject);
    request.socket.destroy();
  }

  const server = await startLoopback((request, response) => void forward(request, response));
  return {
    url: server.url,
    close: () => server.close(),
    cutWrite({ after = 0, meanwhile = async () => {} } = {}) {
      writes = 0;
      const done = Promise.withResolvers<unknown>();
      cutting = { after, meanwhile, done };
      return done.promise;
    },
    get writes() {
      return writes;
    },
  };
}

/** Opens some connections: only a request on a connection that has been used before is repeated. */
export async function warmed(table: SharedTable): Promise<SharedTable> {
  const rows = Array.from({ length: 6 }, (_, n) => `warm#${n}`);
  await Promise.all(rows.map((key) => table.update(key, { set: { at: 0 } })));
  return table;
}
