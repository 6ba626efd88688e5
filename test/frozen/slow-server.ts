import { once } from 'node:events';
import { request as forward } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoopback } from '../pipeline/loopback.ts';

export interface SlowServer {
  readonly url: string;
  /** Milliseconds between the headers of each response and its body. */
  contentDelayMs: number;
  /** Cuts every connection to it. */
  cut(): void;
  close(): Promise<void>;
}

/** A server in front of another one, whose responses begin at once and take their time. */
export async function startSlowServer(target: string): Promise<SlowServer> {
  const state = { contentDelayMs: 0 };
  const server = await startLoopback((request, response) => {
    const { method, headers, url = '/' } = request;
    const forwarded = forward(new URL(url, target), { method, headers }, async (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
      if (state.contentDelayMs > 0) await sleep(state.contentDelayMs);
      if (!response.destroyed) answer.pipe(response);
      await once(answer, 'close');
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  return Object.assign(state, { url: server.url, cut: server.cut, close: server.close });
}
