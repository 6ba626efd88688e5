/**
 * Restricts callers of the local service. In development it needs no key, some routes have effects, and any web page
 * open on this machine can send it requests: from another origin, or by a name whose DNS points to 127.0.0.1 (DNS
 * rebinding). A deployment uses a key instead.
 */
import type { IncomingMessage } from 'node:http';
import { allowedOrigin, type CorsConfiguration } from './cors.ts';
import type { LocalEnvironment } from './function-environment.ts';
import type { Handle } from './gateway.ts';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

interface Callers {
  /** Names of this machine besides those of the loopback interface. */
  readonly hosts: readonly string[];
  /** Origins of web pages besides those of this machine. */
  readonly origins: readonly string[];
}

/** The origins that the template's CORS allows, and those in ALLOWED_HOSTS and CORS_ORIGINS. */
export function callersOf(
  { ALLOWED_HOSTS, CORS_ORIGINS }: LocalEnvironment,
  cors: CorsConfiguration | undefined,
): Callers {
  const hosts = listOf(ALLOWED_HOSTS).map((name) => name.toLowerCase());
  return { hosts, origins: [...(cors?.AllowOrigins ?? []), ...listOf(CORS_ORIGINS)] };
}

/** Passes allowed requests to `next`, and answers 403 to all others. */
export function onlyCallers({ hosts, origins }: Callers, next: Handle): Handle {
  const isThisMachine = (url: string) => {
    const hostname = hostnameOf(url);
    return hostname !== undefined && (LOOPBACK.test(hostname) || hosts.includes(hostname));
  };
  const problemOf = ({ host, origin }: IncomingMessage['headers']): string | undefined => {
    if (host !== undefined && !isThisMachine(`http://${host}`)) {
      const name = hostnameOf(`http://${host}`) ?? 'its-name';
      return `${shown(host)} is no name of this service; to call it so, start it with ALLOWED_HOSTS=${name}`;
    }
    if (origin === undefined || isThisMachine(origin) || allowedOrigin(origins, origin)) return undefined;
    const page = shown(origin);
    return `web pages of ${page} may not call this service; to let them, start it with CORS_ORIGINS=${page}`;
  };
  return async (request, response) => {
    const problem = problemOf(request.headers);
    if (problem === undefined) return await next(request, response);
    request.resume();
    response.writeHead(403, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify({ success: false, error: `Forbidden: ${problem}` }));
  };
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function shown(header: string): string {
  return header.slice(0, 200);
}

function listOf(text = ''): string[] {
  return text.split(',').flatMap((item) => item.trim() || []);
}
