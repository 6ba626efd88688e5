import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../../shared/http/client.ts';
import { eventOf } from './event.ts';

const clientAt = (sourceIp: string) => clientOf(eventOf({ sourceIp }));

describe('the client of a request', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['', ''],
  ])('at %j is %j', (address, client) => {
    expect(clientAt(address)).toBe(client);
  });

  it('is one for all where the gateway tells no address', () => {
    // A test event from the console.
    expect(clientOf({} as Parameters<typeof clientOf>[0])).toBe('unknown');
  });

  it('is never taken from a header', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' };

    expect(clientOf(eventOf({ headers, sourceIp: '192.0.2.1' }))).toBe('192.0.2.1');
  });

  it('is the same for every way to write an IPv6 address and for all of its /64', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 8, maxLength: 8 }),
        fc.array(group, { minLength: 4, maxLength: 4 }),
        (groups, others) => {
          const isMapped = groups.slice(0, 5).every((value) => value === 0);
          fc.pre(!isMapped);
          const short = groups.map((value) => value.toString(16));
          const long = short.map((text) => text.toUpperCase().padStart(4, '0')).join(':');
          const neighbour = [...short.slice(0, 4), ...others.map((value) => value.toString(16))].join(':');
          const compressed = new URL(`http://[${short.join(':')}]`).hostname.slice(1, -1); // RFC 5952

          const clients = [short.join(':'), long, neighbour, compressed].map(clientAt);

          expect(new Set(clients)).toEqual(new Set([`${short.slice(0, 4).join(':')}::/64`]));
        },
      ),
    );
  });
});
