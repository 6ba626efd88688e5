/** viem over the RPC proxy of the local service: fewer requests than the ten that a client has in a minute. */
import {
  ContractFunctionRevertedError,
  createPublicClient,
  custom,
  formatEther,
  type PublicClient,
  parseAbi,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, rpcTransport } from '../../client/sdk/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { type Service, startService } from '../contract/service.ts';

const token = {
  address: contracts.alpha,
  abi: parseAbi([
    'function totalSupply() view returns (uint256)',
    'function transfer(address to, uint256 amount) returns (bool)',
  ]),
} as const;

describe('viem with rpcTransport', () => {
  let service: Service;
  let reader: PublicClient;
  beforeAll(async () => {
    service = await startService({ chain: 'local', env: { UPSTREAM_TIMEOUT_MS: '5000' } });
    const client = createClient({ baseUrl: service.local.url });
    reader = createPublicClient({ transport: custom(rpcTransport(client, 'local'), { retryCount: 0 }) });
  });
  afterAll(() => service?.local.close());

  it('reads the chain, a balance and a contract', async () => {
    expect(await reader.getChainId()).toBe(31_337);
    expect(Number(formatEther(await reader.getBalance({ address: DEPLOYER })))).toBeGreaterThan(1);
    const supply = await service.local.chain?.rpc('eth_call', [
      { to: token.address, data: '0x18160ddd' },
      'latest',
    ]);
    expect(await reader.readContract({ ...token, functionName: 'totalSupply' })).toBe(BigInt(String(supply)));
  });

  it('tells a revert as one, with its reason', async () => {
    const args = [token.address, 2n ** 255n] as const;
    const call = reader.simulateContract({ ...token, functionName: 'transfer', args });
    const error = await call.then(
      () => undefined,
      (thrown) => thrown.walk((cause: unknown) => cause instanceof ContractFunctionRevertedError),
    );
    expect(error).toMatchObject({ reason: expect.stringContaining('ds-math-sub-underflow') });
  });

  it('is told that nothing is sent', async () => {
    const sent = reader.sendRawTransaction({ serializedTransaction: '0x02' });
    await expect(sent).rejects.toThrow('Method not allowed: eth_sendRawTransaction');
  });
});
