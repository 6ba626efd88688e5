import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { type Loopback, respondJson, startLoopback } from '../pipeline/loopback.ts';
import { startStubbedS3 } from '../s3.ts';

const PATH = '/bucket/sources/contracts.v1';
const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}`;
const MINT = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';

describe('the contracts job, against a real server in place of S3', () => {
  let s3: S3Server;
  let provider: Loopback;
  let answers: Record<string, unknown>;

  beforeEach(async () => {
    s3 = await startStubbedS3();
    provider = await startLoopback((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://provider');
      respondJson(answers[pathname] ?? { error: 'id not found' }, pathname in answers ? 200 : 404)(
        request,
        response,
      );
    });
    vi.stubEnv('COINPAPRIKA_BASE_URL', `${provider.url}/v1`);
    vi.stubEnv('SOURCES_BUCKET', 'bucket');
    vi.resetModules(); // a cold start
    answers = {
      '/v1/contracts': ['eth-ethereum', 'sol-solana', 'xyz-nobody-knows'],
      '/v1/contracts/eth-ethereum': [
        { address: `0x${'A'.repeat(40)}`, id: 'a-a', type: 'ERC20', active: true },
        { address: address(1), id: 'b-b', type: 'ERC20' },
        { address: address(2), id: 'gone-gone', type: 'ERC20', active: false },
        { address: 'eth:../../x', id: 'c-c', type: 'ERC20', active: true },
      ],
      '/v1/contracts/sol-solana': [{ address: MINT, id: 'a-a', type: 'Other', active: true }],
    };
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await s3.close();
    await provider.close();
  });

  async function run() {
    const { handler } = await import('../../functions/marketdata/jobs/contracts/handler.ts');
    return handler();
  }
  const stored = () => JSON.parse(s3.objects.get(PATH)?.toString() ?? '{}').chains;

  it('stores the coin of each contract, from one request for each known chain', async () => {
    expect(await run()).toEqual({ contracts: 3, coins: 2, refused: [], unknown: ['xyz-nobody-knows'] });
    expect(provider.requests).toEqual([
      '/v1/contracts',
      '/v1/contracts/eth-ethereum',
      '/v1/contracts/sol-solana',
    ]);
    expect(stored()).toEqual({
      ethereum: { [`0x${'a'.repeat(40)}`]: 'a-a', [address(1)]: 'b-b' },
      solana: { [MINT]: 'a-a' },
    });
  });

  it('keeps the list of a chain that lost more than a fifth, and replaces the others', async () => {
    const list = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        address: address(index),
        id: `c-${index}`,
        type: 'ERC20',
      }));
    answers['/v1/contracts/eth-ethereum'] = list(10);
    await run();
    answers['/v1/contracts/eth-ethereum'] = list(7);
    answers['/v1/contracts/sol-solana'] = [{ address: MINT, id: 'new-new', type: 'Other' }];

    expect(await run()).toMatchObject({ refused: ['ethereum'], contracts: 11 });
    expect(Object.keys(stored().ethereum)).toHaveLength(10);
    expect(stored().solana).toEqual({ [MINT]: 'new-new' });
    answers['/v1/contracts/eth-ethereum'] = list(8);
    expect(await run()).toMatchObject({ refused: [], contracts: 9 });
  });

  it.each([
    ['a chain that fails', '/v1/contracts/sol-solana', undefined],
    ['a list of something else', '/v1/contracts/eth-ethereum', [7]],
    ['platforms that are none', '/v1/contracts', [7]],
  ])('leaves the list as it was after %s', async (_what, path, answer) => {
    await run();
    const before = stored();
    if (answer === undefined) delete answers[path];
    else answers[path] = answer;

    await expect(run()).rejects.toThrow(/CoinPaprika/);
    expect(stored()).toEqual(before);
  });
});
