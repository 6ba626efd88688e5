import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, send } from './answer.ts';
import { type Calls, createCallCounter } from './calls.ts';
import { control } from './control.ts';
import { createFaultSwitch, type Fault } from './faults.ts';
import { misbehave, type OwnFaults } from './misbehave.ts';

/** The answers of a simulated protocol. */
export interface Protocol {
  /** As error texts tell it. */
  readonly title: string;
  /** The lies that `own.tell` knows. */
  readonly lies: readonly string[];
  /** Of every answer, whatever it says. */
  headers(): Readonly<Record<string, string>>;
  /** The proper answer to a request, and what a fault would make of it. `made` counts requests, this one included. */
  answer(request: IncomingMessage, url: string, made: number): { proper: Answer; own: OwnFaults };
}

export interface SimulatedServer {
  readonly port: number;
  readonly calls: Calls;
  /** Sets the fault, in place of the one before; `null` means none. Throws on a bad text. */
  setFault(fault: Fault | string | null): void;
  /** Cuts every connection, as a server or a network in between does to idle ones. */
  dropConnections(): void;
  /** Stops listening and cuts open connections. */
  close(): Promise<void>;
}

/**
 * Speaks a protocol on 127.0.0.1 (port 0: a free one), with faults on demand. Rejects if the port is taken or the
 * fault's text is bad.
 */
export async function startServer(
  protocol: Protocol,
  { port, fault }: { readonly port: number; readonly fault: Fault | string | null },
): Promise<SimulatedServer> {
  const calls = createCallCounter();
  const faults = createFaultSwitch(protocol.lies);
  faults.set(fault);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeaders(new Headers(protocol.headers()));
    if (await control(request, response, faults, calls)) return;
    const url = request.url ?? '/';
    calls.count(url);
    const due = faults.take(url);
    const { proper, own } = protocol.answer(request, url, calls.total);
    if (due) await misbehave(due, proper, own, request, response);
    else await send(response, proper, request.headers['accept-encoding']);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(`${protocol.title} failed:`, error);
      response.destroy();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port, // a TCP server's address is never a string
    calls,
    setFault: faults.set,
    dropConnections: () => server.closeAllConnections(),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
