import { describe, expect, it } from 'vitest';
import { failure } from '../../../test/pipeline/event.ts';
import { type LoadedProxy, useProxy } from '../fixtures/proxy.ts';

const LATEST = '0x5dc';
const address = `0x${'aB'.repeat(20)}`;
const hash = `0x${'cD'.repeat(32)}`;

/** Its answer is the filter that reached the node. */
let proxy: LoadedProxy;
useProxy(
  ({ method, params }) => (method === 'eth_getLogs' ? params : { number: LATEST }),
  (loaded) => {
    proxy = loaded;
  },
);

const askFor = (filter: string) => proxy.ask(`{"method":"eth_getLogs","params":[${filter}]}`);
const ask = (filter: object) => askFor(JSON.stringify(filter));

describe('the filter that reaches the node', () => {
  const latest = { fromBlock: LATEST, toBlock: LATEST };

  it.each([
    ['the latest block unless told', {}, latest],
    ['numbers for tags', { fromBlock: '0x5d0', toBlock: 'pending' }, { fromBlock: '0x5d0', toBlock: LATEST }],
    ['a block by its hash, without numbers', { blockHash: hash }, { blockHash: hash }],
    ['an address', { address }, { ...latest, address }],
    ['a list of addresses', { address: [address, address] }, { ...latest, address: [address, address] }],
    [
      'topics: any, one, and one of several',
      { topics: [null, hash, [hash, hash], []] },
      { ...latest, topics: [null, hash, [hash, hash], []] },
    ],
    [
      'nothing for null, as elsewhere in a body',
      { fromBlock: null, toBlock: null, blockHash: hash, address: null, topics: null },
      { blockHash: hash },
    ],
  ])('has %s', async (_what, filter, sent) => {
    expect(await ask(filter)).toMatchObject({ status: 200, body: { data: [sent] } });
    expect((await ask(filter)).body).toEqual({ success: true, data: [sent] });
  });
});

describe('a filter is refused', () => {
  const allowed = 'allowed: fromBlock, toBlock, blockHash, address, topics';

  it.each([
    ['{"fromBlock":"latest","FromBlock":"0x0"}', '"FromBlock"'],
    [`{"blockHash":"${hash}","TOBLOCK":"0x0"}`, '"TOBLOCK"'],
    ['{"limit":5}', '"limit"'],
    ['{"":5}', '""'],
    ['{"__proto__":{"fromBlock":"0x0"}}', '"__proto__"'],
    [`{"${'x'.repeat(90)}":1}`, `"${'x'.repeat(80)}"`],
  ])('with the unknown field that it has: %s', async (filter, shown) => {
    expect(await askFor(filter)).toMatchObject({
      status: 400,
      body: failure(`Unknown field ${shown} in the filter of eth_getLogs; ${allowed}`),
    });
    expect(proxy.node.requests).toHaveLength(1); // of the chain's id
  });

  it.each([{ fromBlock: '0x0' }, { toBlock: 'latest' }, { fromBlock: 'x', toBlock: 1 }])(
    'if it has a block hash and a range: %j',
    async (range) => {
      const error = /^Invalid parameter blockHash: "0x[cD]{64}"; allowed: without fromBlock and toBlock$/;

      expect(await ask({ blockHash: hash, ...range })).toMatchObject({
        status: 400,
        body: failure(expect.stringMatching(error)),
      });
    },
  );

  it.each([
    [{ blockHash: '0x1' }, /^Invalid parameter blockHash: "0x1"; allowed: 0x and 64 hexadecimal digits$/],
    [{ blockHash: [hash] }, /^Invalid parameter blockHash: \[/],
    [{ blockHash: 'latest' }, /^Invalid parameter blockHash: "latest"/],
    [{ address: '0x1' }, /^Invalid parameter address: "0x1"; allowed: an address, or a list of up to 1000$/],
    [{ address: { a: 1 } }, /^Invalid parameter address: \{"a":1\}/],
    [{ address: [address, null] }, /^Invalid parameter address: /],
    [{ address: [[address]] }, /^Invalid parameter address: /],
    [{ address: Array(1_001).fill(address) }, /^Invalid parameter address: .{80}…; allowed/],
    [{ topics: hash }, /^Invalid parameter topics: .*; allowed: a list of up to 4, each null, a topic/],
    [{ topics: {} }, /^Invalid parameter topics: \{\}/],
    [{ topics: [null, null, null, null, null] }, /^Invalid parameter topics: \[null,/],
    [{ topics: ['0x1'] }, /^Invalid parameter topics: \["0x1"\]/],
    [{ topics: [[null]] }, /^Invalid parameter topics: \[\[null\]\]/],
    [{ topics: [[[hash]]] }, /^Invalid parameter topics: /],
    [{ topics: [0] }, /^Invalid parameter topics: \[0\]/],
  ])('with the field that is malformed: %j', async (filter, error) => {
    expect(await ask(filter)).toMatchObject({ status: 400, body: failure(expect.stringMatching(error)) });
  });
});
