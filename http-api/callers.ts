/**
 * Restricts callers of the local service. In development it needs no key, some routes have effects, and any web page
 * open on this machine can send it requests: from another origin, or by a name whose DNS points to 127.0.0.1 (DNS
 * rebinding). A deployment uses a key instead.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Variable } from '../shared/platform/environment.ts';
import { allowedOrigin, type CorsConfiguration } from './cors.ts';
import type { Handle } from './gateway.ts';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/** The settings of who may call. */
export const callerVariables: Readonly<Record<string, Variable>> = {
  ALLOWED_HOSTS: { description: 'More names of this machine', problem: notHostNames },
  CORS_ORIGINS: { description: 'Origins whose web pages may call', problem: notOrigins },
};

interface Callers {
  /** Names of this machine besides those of the loopback interface. */
  readonly hosts: readonly string[];
  /** Origins of web pages besides those of this machine. */
  readonly origins: readonly string[];
}

/** The origins that the template's CORS allows, and those in ALLOWED_HOSTS and CORS_ORIGINS. */
export function callersOf(
  { ALLOWED_HOSTS, CORS_ORIGINS }: Readonly<Record<string, string | undefined>>,
  cors: CorsConfiguration | undefined,
): Callers {
  const hosts = listOf(ALLOWED_HOSTS).map((name) => name.toLowerCase());
  return { hosts, origins: [...(cors?.AllowOrigins ?? []), ...listOf(CORS_ORIGINS)] };
}

/** Passes allowed requests to `next`, and answers 403 to all others. With `passesAddresses`, any IP address names this machine. */
export function onlyCallers(
  { hosts, origins }: Callers,
  next: Handle,
  { passesAddresses = false }: { readonly passesAddresses?: boolean | undefined } = {},
): Handle {
  const isThisMachine = (url: string) => {
    const hostname = hostnameOf(url);
    if (hostname === undefined) return false;
    // A name whose DNS points here is what a foreign page would use; an address needs no DNS.
    const isAddress = passesAddresses && isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
    return isAddress || LOOPBACK.test(hostname) || hosts.includes(hostname);
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

function notHostNames(text: string): string | undefined {
  const areNames = text.split(',').every((name) => /^([\w-]+(\.[\w-]+)*|\[[\da-f:]+\])$/i.test(name.trim()));
  return areNames
    ? undefined
    : 'must be a comma list of host names without ports, such as host.docker.internal';
}

function notOrigins(text: string): string | undefined {
  const isOrigin = (item: string) => URL.canParse(item) && new URL(item).origin === item;
  const areOrigins = text.split(',').every((item) => item.trim() === '*' || isOrigin(item.trim()));
  return areOrigins ? undefined : 'must be a comma list of origins such as http://devbox:5173, or *';
}
