import { describe, expect, it } from 'vitest';
import type { PricedCoin } from './candidate.ts';
import { match } from './match.ts';

interface Figures {
  readonly price?: number;
  readonly cap?: number;
  readonly at?: readonly string[];
}

/** A coin as either list has it: id, symbol and name, then what is known of it. */
const coin = (
  id: string,
  symbol: string,
  name: string,
  { price, cap, at = [] }: Figures = {},
): PricedCoin => {
  return { id, symbol, name, price: price ?? null, marketCap: cap ?? null, contracts: at };
};
const pairsOf = (...lists: Parameters<typeof match>) => Object.fromEntries(match(...lists).pairs);

describe('coins are matched', () => {
  it.each<[string, PricedCoin, PricedCoin]>([
    [
      'by a contract, whatever they are called',
      coin('fxs-frax-share', 'FXS', 'Frax Share', { at: ['ethereum:0x3'] }),
      coin('frax-share', 'frax', 'Frax (prev. FXS)', { at: ['ethereum:0x3', 'bsc:0x4'] }),
    ],
    [
      'by a contract, for prices that differ less than threefold',
      coin('a-a', 'A', 'Alpha', { price: 1, at: ['solana:Abc'] }),
      coin('a', 'a', 'Alpha', { price: 2.5, at: ['solana:Abc'] }),
    ],
    [
      'by symbol, name and price',
      coin('btc-bitcoin', 'BTC', 'Bitcoin', { price: 100, cap: 5 }),
      coin('bitcoin', 'btc', 'Bitcoin', { price: 98, cap: 50 }),
    ],
    [
      'by symbol and price for a name that goes on in one list',
      coin('hbar-hedera-hashgraph', 'HBAR', 'Hedera Hashgraph', { price: 0.2 }),
      coin('hedera-hashgraph', 'hbar', 'Hedera', { price: 0.2 }),
    ],
    [
      'by symbol, price and market cap for other names',
      coin('mtl-metal', 'MTL', 'Metal', { price: 0.5, cap: 40e6 }),
      coin('mux', 'mtl', 'Crowns', { price: 0.505, cap: 42e6 }),
    ],
    [
      'by symbol and name where a price is missing',
      coin('qkc-quarkchain', 'QKC', 'QuarkChain', { price: 1 }),
      coin('quark-chain', 'qkc', 'QuarkChain'),
    ],
    [
      'by the name in the ids if nobody else has the symbol',
      coin('padre-padre', 'PADRE', 'Padre'),
      coin('padre', 'padre', 'Terminal'),
    ],
    [
      'whatever signs stand around symbol and name',
      coin('hege-hege', '$HEGE ', 'Hegé!', { price: 1 }),
      coin('hege', 'hege', 'HEGE', { price: 1 }),
    ],
    [
      'wrapped or not, if price and market cap agree with the name',
      coin('wbtc-wrapped-bitcoin', 'WBTC', 'Wrapped Bitcoin', { price: 9e4, cap: 1e10 }),
      coin('wrapped-bitcoin', 'wbtc', 'Wrapped Bitcoin', { price: 9e4, cap: 1.02e10 }),
    ],
    [
      'under the name of a bridge that has a coin of its own',
      coin('w-wormhole', 'W', 'Wormhole'),
      coin('wormhole', 'w', 'Wormhole'),
    ],
  ])('%s', (_how, our, their) => {
    expect(pairsOf([our], [their])).toEqual({ [our.id]: their.id });
  });
});

describe('coins are not matched', () => {
  it.each<[string, PricedCoin, PricedCoin, reason: string]>([
    [
      'whose symbol and name are the same, for another price',
      coin('frax-frax', 'FRAX', 'Frax', { price: 1 }),
      coin('frax-share', 'frax', 'Frax (prev. FXS)', { price: 0.9 }),
      'the prices differ',
    ],
    [
      'for a contract that agrees and prices that differ more than threefold',
      coin('a-a', 'A', 'Alpha', { price: 1, at: ['bsc:0x1'] }),
      coin('a', 'a', 'Alpha', { price: 3.1, at: ['bsc:0x1'] }),
      'the prices differ by more than threefold',
    ],
    [
      'for an address on another chain',
      coin('a-a', 'A', 'Alpha', { at: ['bsc:0x1'] }),
      coin('z', 'a', 'Zeta', { at: ['ethereum:0x1'] }),
      'the symbol alone, without a price and market cap of its own',
    ],
    [
      'for a name that has another contract on the same chain',
      coin('a-a', 'A', 'Alpha', { at: ['bsc:0x1'] }),
      coin('a', 'a', 'Alpha', { at: ['bsc:0x2'] }),
      'the contracts differ',
    ],
    [
      'for a symbol and a price without a market cap',
      coin('mtl-metal', 'MTL', 'Metal', { price: 0.5, cap: 40e6 }),
      coin('mux', 'mtl', 'Crowns', { price: 0.5, cap: 60e6 }),
      'the symbol alone, without a price and market cap of its own',
    ],
    [
      'that are one coin wrapped on two chains',
      coin('weth-wormhole', 'WETH', 'Wrapped Ether', { price: 3e3, cap: 1e6 }),
      coin('bridged-weth', 'weth', 'Wrapped Ether', { price: 3e3, cap: 9e6 }),
      'it follows the price of another coin, and no contract tells which one this is',
    ],
    [
      'that are a coin and its bridged form, for the contract of the latter',
      coin('usdc-usd-coin', 'USDC', 'USDC', { price: 1, at: ['polygon:0x2'] }),
      coin('bridged-usdc', 'usdc', 'Bridged USDC', { price: 1, at: ['polygon:0x2'] }),
      'the symbol alone, without a price and market cap of its own',
    ],
    [
      'that are a coin and its wrapped form, for a contract of the latter and a far smaller market cap',
      coin('eth-ethereum', 'ETH', 'Ethereum', { price: 3e3, cap: 4e11, at: ['ethereum:0xc'] }),
      coin('weth', 'weth', 'WETH', { price: 3e3, cap: 1e10, at: ['ethereum:0xc'] }),
      'the symbol alone, without a price and market cap of its own',
    ],
    [
      'that have one name with addenda of their own, without a price',
      coin('lion-lion-token', 'LION', 'Lion Token'),
      coin('the-lion', 'lion', 'The Lion'),
      'the symbol and name are not unique on both sides, or the ids have other names',
    ],
    [
      'for an id that is the same text',
      coin('fetch-ai', 'FET', 'Fetch', { price: 1 }),
      coin('fetch-ai', 'fet', 'Another', { price: 2 }),
      'the symbol alone, without a price and market cap of its own',
    ],
  ])('%s', (_how, our, their, reason) => {
    const { pairs, refused } = match([our], [their]);
    expect([...pairs]).toEqual([]);
    expect(refused).toEqual([{ ours: our.id, theirs: [their.id], reason }]);
  });
});

describe('of several candidates', () => {
  it('neither is taken if both have the symbol and the name', () => {
    const theirs = [coin('dash', 'dash', 'Dash'), coin('dash-2', 'dash', 'DASH')];
    expect(match([coin('dash-dash', 'DASH', 'Dash', { price: 40 })], theirs)).toMatchObject({
      pairs: new Map(),
      refused: [{ theirs: ['dash', 'dash-2'], reason: '2 coins with this symbol and name' }],
    });
  });

  it('one is taken by its price, and by its market cap if a price is missing', () => {
    const our = coin('dash-dash', 'DASH', 'Dash', { price: 40, cap: 5e8 });
    const named = coin('dash-2', 'dash', 'DASH', { price: 0.1 });
    const dash = coin('dash', 'dash', 'Dash', { price: 40.2, cap: 5.1e8 });
    expect(pairsOf([our], [dash, named])).toEqual({ 'dash-dash': 'dash' });
    expect(pairsOf([our], [dash, { ...named, price: null }])).toEqual({ 'dash-dash': 'dash' });
    expect(
      pairsOf(
        [our],
        [
          { ...dash, marketCap: null },
          { ...named, price: null },
        ],
      ),
    ).toEqual({});
  });

  it('none is taken by symbol and market cap if their price is one', () => {
    const our = coin('usdl-lift', 'USDL', 'Lift Dollar', { price: 1, cap: 1e6 });
    const theirs = [
      coin('liquid', 'usdl', 'Liquid USDL', { price: 1, cap: 1e6 }),
      coin('paxos', 'usdl', 'Paxos USDL', { price: 1, cap: 9e7 }),
    ];
    expect(pairsOf([our], theirs)).toEqual({});
  });

  it('a coin and its bridged forms are told apart by name, and by contracts of both', () => {
    const at = ['ethereum:0x1', 'polygon:0x2'];
    const theirs = [
      coin('usd-coin', 'usdc', 'USDC', { price: 1, at: ['ethereum:0x1'] }),
      coin('bridged-usdc', 'usdc', 'Bridged USDC', { price: 1, at: ['polygon:0x2'] }),
    ];
    expect(pairsOf([coin('usdc-usd-coin', 'USDC', 'USDC', { price: 1, at })], theirs)).toEqual({
      'usdc-usd-coin': 'usd-coin',
    });
    expect(pairsOf([coin('usdc-usd-coin', 'USDC', 'USDC', { price: 1 })], theirs)).toEqual({
      'usdc-usd-coin': 'usd-coin',
    });
  });

  it('two coins of ours with one contract of theirs get none of it', () => {
    const at = ['bsc:0x1'];
    const ours = [coin('x-a', 'X', 'Alpha', { at }), coin('x-b', 'X', 'Beta', { at })];
    expect(pairsOf(ours, [coin('x', 'x', 'Gamma', { at })])).toEqual({});
  });
});

describe('names that change hands', () => {
  const theirJupiters = [
    coin('jupiter', 'jup', 'Jupiter Project'),
    coin('jupiter-exchange-solana', 'jup', 'Jupiter', { price: 0.5, cap: 1.6e9 }),
  ];

  it('do not make Jupiter the exchange of that name', () => {
    const exchange = coin('jup-jupiter-exchange-token', 'JUP', 'Jupiter Exchange Token', {
      price: 0.5,
      cap: 1.6e9,
    });
    const jupiter = coin('jup-jupiter', 'JUP', 'Jupiter');
    expect(pairsOf([jupiter], theirJupiters)).toEqual({});
    expect(pairsOf([jupiter, exchange], theirJupiters)).toEqual({
      'jup-jupiter-exchange-token': 'jupiter-exchange-solana',
    });
  });

  it('do not make VADER the AI of that name, with prices or without', () => {
    const ours = [
      coin('vader-vader', 'VADER', 'Vader'),
      coin('vader-vaderai', 'VADER', 'VaderAI by Virtuals'),
    ];
    const theirs = [
      coin('vaderai-by-virtuals', 'vader', 'Vader'),
      coin('vader-protocol', 'vader', 'Vader Protocol'),
    ];
    expect(pairsOf(ours, theirs)).toEqual({});
    expect(pairsOf(ours, theirs.slice(0, 1))).toEqual({});
  });

  it('leave luna-terra what it is beside its bridged form', () => {
    const figures = { price: 6e-5, cap: 3e8 };
    const theirs = [
      coin('luna-wormhole', 'lunc', 'Terra Classic (Wormhole)', { price: 6e-5, cap: 1e5 }),
      coin('terra-luna', 'lunc', 'Terra Luna Classic', figures),
    ];
    const our = coin('luna-terra', 'LUNC', 'Terra Classic', figures);
    expect(pairsOf([our], theirs)).toEqual({});
    const at = ['solana:F6v'];
    const bridged = coin('luna-luna-wormhole', 'LUNA', 'LUNA (Wormhole)', { at });
    expect(pairsOf([bridged], [coin('luna-wormhole', 'lunc', 'Terra Classic (Wormhole)', { at })])).toEqual({
      'luna-luna-wormhole': 'luna-wormhole',
    });
  });
});

describe('a pair that held before', () => {
  const previous = new Map([['a-a', 'a']]);
  const our = coin('a-a', 'A', 'Alpha', { price: 1 });
  const their = (price: number, name = 'Alpha') => coin('a', 'a', name, { price });

  it('stays while its prices differ less than threefold, whatever it is called now', () => {
    expect(pairsOf([our], [their(2)])).toEqual({});
    expect(match([our], [their(2, 'Omega')], previous)).toMatchObject({
      pairs: previous,
      withdrawn: 0,
    });
  });

  it('is taken out and counted if they differ more', () => {
    expect(match([our], [their(3.1)], previous)).toMatchObject({ pairs: new Map(), withdrawn: 1 });
  });

  it('gives way to a contract', () => {
    const at = ['bsc:0x1'];
    const theirs = [their(1), coin('b', 'b', 'Beta', { price: 1, at })];
    expect(pairsOf([{ ...our, contracts: at }], theirs, previous)).toEqual({ 'a-a': 'b' });
  });

  it('ends with either of its coins', () => {
    expect(match([our], [], previous)).toMatchObject({ pairs: new Map(), withdrawn: 0 });
    expect(match([], [their(1)], previous)).toMatchObject({ pairs: new Map(), withdrawn: 0 });
  });
});
