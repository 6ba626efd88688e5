import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../../shared/provider/samples');

/** Recorded answers of the provider lie beside the repository on some machines only. */
export const hasRecordings = existsSync(folder);

export function recording(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

export interface Replay {
  readonly url: string;
  /** Path and query of every request so far. */
  readonly asked: string[];
  /** Answers from now on: the first entry whose key the path contains. */
  answers: Record<string, { readonly file: string; readonly headers?: Record<string, string> }>;
  close(): Promise<void>;
}

/** A server that answers with recordings, their status being in their names. */
export async function startReplay(): Promise<Replay> {
  const replay: Replay = { url: '', asked: [], answers: {}, close: async () => {} };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    replay.asked.push(path);
    const [, answer] = Object.entries(replay.answers).find(([part]) => path.includes(part)) ?? [];
    if (!answer) return response.writeHead(501).end();
    const [, status, type] = /\.(\d{3})\.(json|txt)$/.exec(answer.file) ?? [];
    const contentType = type === 'json' ? 'application/json' : 'text/plain; charset=utf-8';
    response.writeHead(Number(status), { 'content-type': contentType, ...answer.headers });
    response.end(recording(answer.file));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(replay, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, // TCP, so never a string
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  });
}
