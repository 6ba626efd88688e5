/** True if the service that the repository starts could be at the address: it serves this machine, without TLS. */
export function isOfThisMachine(url: string): boolean {
  const { protocol, hostname, pathname } = new URL(url);
  return protocol === 'http:' && pathname === '/' && ['localhost', '127.0.0.1'].includes(hostname);
}

export function portOf(url: string): number {
  return Number(new URL(url).port || 80);
}
