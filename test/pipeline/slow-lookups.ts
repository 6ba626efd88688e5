import { onTestFinished } from 'vitest';

/** Delays every name look-up of the running test, which stands for the handshakes of a new connection as well. */
export function slowLookups(ms: number): void {
  const dns = process.getBuiltinModule('node:dns');
  const { lookup } = dns;
  onTestFinished(() => {
    dns.lookup = lookup;
  });
  const slowly = (...given: unknown[]) => void setTimeout(() => Reflect.apply(lookup, dns, given), ms);
  dns.lookup = slowly as typeof lookup;
}
