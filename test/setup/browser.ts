import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { startBrowserServer } from '../browser/headless.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * Returns, below `browser`, the WebSocket endpoint of the run's browser and, below `service`, the address of its
     * local service with a stored history; each starts with its first request.
     */
    sharedUrl: string;
  }
}

interface Shared {
  readonly address: string;
  close(): Promise<void>;
}

const starts: Readonly<Record<string, () => Promise<Shared>>> = {
  async browser() {
    const { endpoint, close } = await startBrowserServer();
    return { address: endpoint, close };
  },
  async service() {
    const { startService } = await import('../client/service.ts');
    const { url, close } = await startService({ store: { history: true } });
    return { address: url, close };
  },
};

/**
 * One browser and one service for all files of a run: each takes seconds of CPU to start. Every test has a browser context of
 * its own, and none changes the service.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Shared>>();
  const server = createServer(({ url = '' }, response) => {
    const name = url.slice(1);
    const shared = started.get(name) ?? starts[name]?.() ?? Promise.reject(new Error(`Unknown: ${name}`));
    started.set(name, shared);
    shared.then(
      ({ address }) => response.end(address),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('sharedUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`); // TCP
  return async () => {
    server.close();
    const results = await Promise.allSettled(started.values());
    await Promise.all(results.map((result) => result.status === 'fulfilled' && result.value.close()));
  };
}
