import { keccak256 } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { artifact } from '../../local/evm/uniswap/artifacts.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { chainNames } from '../../shared/evm/chains.ts';
import { parseAddress } from '../../shared/evm/values.ts';
import { uniswapChain } from './deployments.ts';
import { v2Hop, v3Hop } from './logic/pools.ts';

function addressesIn(value: unknown): string[] {
  if (typeof value === 'string') return /^0x/.test(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(addressesIn) : [];
}

describe('the deployments', () => {
  it.each(chainNames)(
    'of %s have checksummed addresses, and pass trades through its wrapped token',
    (name) => {
      const { uniswap, wrappedNative } = uniswapChain(name);
      for (const address of addressesIn(uniswap)) expect(parseAddress('address', address)).toBe(address);
      expect(uniswap.intermediates).toContain(wrappedNative);
    },
  );

  it('on the local chain are at the addresses to which they are deployed', () => {
    const { uniswap, wrappedNative } = uniswapChain('local');
    expect({ wrappedNative, ...uniswap }).toMatchObject({
      wrappedNative: contracts.weth,
      v2: { factory: contracts.v2Factory, router: contracts.v2Router },
      v3: { factory: contracts.v3Factory, quoter: contracts.quoter },
      router: contracts.router,
      intermediates: [contracts.weth, contracts.alpha],
      multicall: contracts.multicall,
    });
  });
});

// Well-known pools, as block explorers and the protocol's own pages show them: they follow from factory and tokens.
describe('the factories', () => {
  const usdc = {
    mainnet: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    base: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    arbitrum: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    sepolia: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
  } as const;

  it.each([
    ['mainnet', '0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc', '0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640'],
    ['base', '0x88A43bbDF9D098eEC7bCEda4e2494615dfD9bB9C', '0xd0b53D9277642d899DF5C87A3966A349A798F224'],
    ['arbitrum', '0xF64Dfe17C8b87F012FCf50FbDA1D62bfA148366a', '0xC6962004f452bE9203591991D15f6b388e09E8D0'],
    ['sepolia', '0x72e46e15ef83c896de44B1874B4AF7dDAB5b4F74', '0x3289680dD4d6C10bb19b899729cda5eEF58AEfF1'],
  ] as const)('of %s lead to its pools of ETH and USDC', (name, v2, v3) => {
    const { uniswap, wrappedNative } = uniswapChain(name);

    expect(v2Hop(uniswap, wrappedNative, usdc[name]).pool).toBe(v2);
    expect(v2Hop(uniswap, usdc[name], wrappedNative).pool).toBe(v2);
    expect(v3Hop(uniswap, wrappedNative, usdc[name], 500).pool).toBe(v3);
    expect(uniswap.intermediates).toContain(usdc[name]);
  });

  it('create pools of the code that the addresses are computed from', () => {
    expect(keccak256(artifact('v2Pair').bytecode)).toMatch(/^0x96e8ac42/);
    expect(keccak256(artifact('v3Pool').bytecode)).toMatch(/^0xe34f199b/);
  });
});
