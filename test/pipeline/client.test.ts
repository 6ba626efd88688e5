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

  it('is the same for all requests without an address', () => {
    // A test event from the console.
    expect(clientOf({} as Parameters<typeof clientOf>[0])).toBe('unknown');
  });
});
