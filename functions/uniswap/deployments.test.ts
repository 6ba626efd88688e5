import { keccak256 } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { artifact } from '../../local/evm/uniswap/artifacts.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { chainNames } from '../../shared/chains.ts';
import { parseAddress } from '../../shared/evm/values.ts';
import { uniswapChain } from './deployments.ts';
import { v2Hop, v3Hop } from './pools.ts';

it.each(chainNames)('the addresses on %s have correct checksums', (name) => {
  const { feeTiers, ...addresses } = uniswapChain(name).uniswap;
  for (const address of Object.values(addresses)) expect(parseAddress('address', address)).toBe(address);
});

it('the contracts of the local chain have the addresses of their deployment', () => {
  const { uniswap, tokens } = uniswapChain('local');
  expect(contracts).toMatchObject(uniswap);
  expect(tokens.map(({ address }) => address)).toEqual([contracts.weth, contracts.alpha]);
});

// Well-known pools from block explorers and the protocol's own pages: their addresses follow from factory and tokens.
describe('the factories', () => {
  it.each([
    ['mainnet', '0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc', '0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640'],
    ['base', '0x88A43bbDF9D098eEC7bCEda4e2494615dfD9bB9C', '0xd0b53D9277642d899DF5C87A3966A349A798F224'],
    ['arbitrum', '0xF64Dfe17C8b87F012FCf50FbDA1D62bfA148366a', '0xC6962004f452bE9203591991D15f6b388e09E8D0'],
    ['sepolia', '0x72e46e15ef83c896de44B1874B4AF7dDAB5b4F74', '0x3289680dD4d6C10bb19b899729cda5eEF58AEfF1'],
  ] as const)('of %s yield its pools of ETH and USDC', (name, v2, v3) => {
    const { uniswap, wrappedNative, tokens } = uniswapChain(name);
    const usdc = tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? wrappedNative;

    expect(v2Hop(uniswap, wrappedNative, usdc).pool).toBe(v2);
    expect(v2Hop(uniswap, usdc, wrappedNative).pool).toBe(v2);
    expect(v3Hop(uniswap, wrappedNative, usdc, 500).pool).toBe(v3);
  });

  it('create pools of the code that the addresses are computed from', () => {
    expect(keccak256(artifact('v2Pair').bytecode)).toMatch(/^0x96e8ac42/);
    expect(keccak256(artifact('v3Pool').bytecode)).toMatch(/^0xe34f199b/);
  });
});
