import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type BrowserServer, startBrowserServer } from '../browser/headless.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers with the WebSocket endpoint of the run's browser, which it starts when it is first wanted. */
    browserUrl: string;
  }
}

/** One browser for all files of a run: to unpack and start one takes three seconds of CPU. Each test has a context of its own. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let browser: Promise<BrowserServer> | undefined;
  const server = createServer((_request, response) => {
    browser ??= startBrowserServer();
    browser.then(
      ({ endpoint }) => response.end(endpoint),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('browserUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`); // TCP
  return async () => {
    server.close();
    await (await browser)?.close();
  };
}
