/** Who sent a request: the other end of its connection, or whom a trusted proxy names. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export interface Client {
  readonly address: string;
  readonly protocol: 'http' | 'https';
}

/** The other end of the connection. */
export function peerOf({ socket }: IncomingMessage): Client {
  return { address: plain(socket.remoteAddress ?? ''), protocol: 'http' };
}

/**
 * Believes `X-Forwarded-For` and `-Proto`, or `Forwarded` (RFC 7239), from these proxies alone: the client is the last address in
 * them that is none of the proxies'. The text is a comma list of addresses and networks, such as `10.0.0.2, fd00::/8`.
 */
export function behindProxies(text: string): (message: IncomingMessage) => Client {
  const proxies = new BlockList();
  for (const { address, family, bits } of networksIn(text)) proxies.addSubnet(address, bits, family);
  const isProxy = (address: string) => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

  return (message) => {
    const peer = peerOf(message);
    if (!isProxy(peer.address)) return peer;
    const { addresses, protocol } = forwardedBy(message);
    let address = peer.address;
    for (const before of addresses.reverse()) {
      if (isIP(before) === 0) break;
      address = before;
      if (!isProxy(address)) break;
    }
    return { address, protocol: protocol === 'https' ? 'https' : 'http' };
  };
}

/** Why the text is no list for `behindProxies`. */
export function notProxies(text: string): string | undefined {
  try {
    networksIn(text);
    return undefined;
  } catch {
    return 'must be a comma list of addresses and networks, such as 10.0.0.2, 172.16.0.0/12';
  }
}

function networksIn(text: string) {
  const items = text.split(',').flatMap((item) => item.trim() || []);
  return items.map((item) => {
    const [address = '', length] = item.split('/');
    const version = isIP(address);
    const bits = length === undefined ? (version === 6 ? 128 : 32) : Number(length);
    if (version === 0 || !Number.isInteger(bits) || bits < 0 || bits > (version === 6 ? 128 : 32))
      throw new RangeError(`${item} is no address and no network`);
    return { address, bits, family: version === 6 ? ('ipv6' as const) : ('ipv4' as const) };
  });
}

/** The addresses that proxies have noted, the client's own claims first, and the protocol that the last one has seen. */
function forwardedBy({ headers }: IncomingMessage): { addresses: string[]; protocol: string | undefined } {
  const { forwarded, 'x-forwarded-for': addresses, 'x-forwarded-proto': protocol } = headers;
  if (addresses === undefined && forwarded !== undefined) {
    const elements = forwarded.split(',').map((element) => new Map(pairsIn(element)));
    return {
      addresses: elements.map((pairs) => withoutPort(pairs.get('for') ?? '')),
      protocol: elements.at(-1)?.get('proto')?.toLowerCase(),
    };
  }
  const listOf = (text: string | string[] | undefined) => String(text ?? '').split(',');
  return {
    addresses: listOf(addresses).map((address) => withoutPort(address.trim())),
    protocol: listOf(protocol).at(-1)?.trim().toLowerCase(),
  };
}

function pairsIn(element: string): [string, string][] {
  return element.split(';').map((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return [name.toLowerCase(), value.join('=').replace(/^"|"$/g, '')];
  });
}

/** `[2001:db8::1]:4711` and `192.0.2.1:4711` without their ports. */
function withoutPort(text: string): string {
  const [, inBrackets] = /^\[(.+)\](:\d+)?$/.exec(text) ?? [];
  return plain(inBrackets ?? text.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1'));
}

/** An IPv4 address that an IPv6 socket has received. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}
