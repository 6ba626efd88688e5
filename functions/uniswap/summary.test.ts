import { describe, expect, it } from 'vitest';
import { MAX_UINT256 } from '../../shared/evm/values.ts';
import { uniswapChain } from './deployments.ts';
import type { Quote } from './quote.ts';
import { approvalSummary, swapSummary } from './summary.ts';
import type { TokenInfo } from './tokens.ts';

const chain = uniswapChain('local');
const known = chain.tokens[1]?.address ?? chain.wrappedNative;
const stranger = '0x00000000000000000000000000000000000000B2';
const friend = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

function quoteOf(types: readonly ('v2' | 'v3')[], token: Partial<TokenInfo>): Quote {
  const tokenOut = { address: token.address ?? stranger, isNative: false };
  const trade = {
    tokenIn: { address: chain.wrappedNative, isNative: true },
    tokenOut,
    amountIn: 1_500_000_000_000_000_000n,
  };
  const hops = types.map(
    (type) =>
      ({
        type,
        pool: friend,
        feeTier: 3000,
        tokenIn: chain.wrappedNative,
        tokenOut: tokenOut.address,
      }) as const,
  );
  const tokens = [{ symbol: null, decimals: null, ...token, address: tokenOut.address }];
  const block = { number: 1n, hash: '0x', baseFeePerGas: 1n, timestamp: 1 } as const;
  const rest = { prices: [], amountOut: 1n, gas: 1n, tokens };
  return { kind: 'pools', router: 'SwapRouter02', trade, hops, block, ...rest };
}

const summary = (types: readonly ('v2' | 'v3')[], token: Partial<TokenInfo>, minAmountOut = 2_985_100_000n) =>
  swapSummary(chain, quoteOf(types, token), minAmountOut, friend);

describe('the summary of a swap', () => {
  it('has amounts, version, chain and recipient', () => {
    expect(summary(['v3'], { address: known, symbol: 'ALPHA', decimals: 6 })).toBe(
      'Swap 1.5 ETH for at least 2985.1 ALPHA through Uniswap V3 on local, for 0x7099…79C8',
    );
  });

  it('names both versions of a mixed route', () => {
    expect(summary(['v3', 'v2'], {})).toMatch(/ through Uniswap V2 and V3 on local,/);
  });

  it.each([
    ['a symbol of an unknown token', 'USDC', '2985.1 "USDC" (0x0000…00B2)'],
    ['a symbol that continues the sentence', 'USDC for 0x7099', '2985.1 token 0x0000…00B2'],
    ['a symbol that closes its quotes', 'A" (0x1', '2985.1 token 0x0000…00B2'],
    ['a symbol that reads from the right', 'א1', '2985.1 token 0x0000…00B2'],
    ['no symbol', null, '2985.1 token 0x0000…00B2'],
  ])('shows %s with its address, or only the address', (_what, symbol, text) => {
    expect(summary(['v2'], { symbol, decimals: 6 })).toBe(
      `Swap 1.5 ETH for at least ${text} through Uniswap V2 on local, for 0x7099…79C8`,
    );
  });

  it.each([null, 37, 255])('has base units if decimals are %j', (decimals) => {
    expect(summary(['v2'], { symbol: 'ODD', decimals })).toMatch(/2985100000 base units of "ODD" \(/);
  });
});

describe('the summary of an approval', () => {
  const token = { address: known, symbol: 'ALPHA', decimals: 6 };

  it.each([
    [1_000_000n, "Let Uniswap's SwapRouter02 (0x7099…79C8) take up to 1 ALPHA on local"],
    [MAX_UINT256, "Let Uniswap's SwapRouter02 (0x7099…79C8) take any amount of ALPHA on local"],
    [0n, "Let Uniswap's SwapRouter02 (0x7099…79C8) take no more ALPHA on local"],
  ])('has the amount that the router may take: %d', (amount, text) => {
    expect(approvalSummary(chain, token, amount, 'SwapRouter02', friend)).toBe(text);
  });
});
