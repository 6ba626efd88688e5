import { describe, expect, test } from 'vitest';
import { buildRegistry } from '../../../registry-layer/build.ts';
import type { RegistryEntry } from '../../../shared/registry/entries.ts';
import { coinOfSymbol } from '../../../shared/registry/lookups.ts';
import { openRegistryBytes } from '../../../shared/registry/registry.ts';
import { stubApi } from '../../../test/client/stub-api.ts';
import { ApiFailure } from '../../sdk/index.ts';
import { coinPaprika } from './coinpaprika.ts';

/** Rank, id, symbol and name of active coins, as the provider listed them in September 2025. */
const recorded = `
1|btc-bitcoin|BTC|Bitcoin
2|eth-ethereum|ETH|Ethereum
3|xrp-xrp|XRP|XRP
4|usdt-tether|USDT|Tether
6|sol-solana|SOL|Solana
10|doge-dogecoin|DOGE|Dogecoin
13|weth-weth|WETH|WETH
15|wbtc-wrapped-bitcoin|WBTC|Wrapped Bitcoin
20|bch-bitcoin-cash|BCH|Bitcoin Cash
21|hbar-hedera-hashgraph|HBAR|Hedera Hashgraph
26|toncoin-the-open-network|TON|Toncoin
29|shib-shiba-inu|SHIB|Shiba Inu
39|pepe-pepe|PEPE|Pepe
45|etc-ethereum-classic|ETC|Ethereum Classic
53|eth-ethereum-token|WETH|WETH (BSC)
54|kas-kaspa|KAS|Kaspa
66|trump-official-trump|TRUMP|OFFICIAL TRUMP
90|qnt-quant|QNT|Quant
100|s-sonic|S|Sonic
130|miota-iota|IOTA|IOTA
152|strk-starknet|STRK|Starknet
162|dydx-dydx-chain|DYDX|DYDX Chain
164|matic-polygon|MATIC|Polygon
230|turbo-turbo|TURBO|Turbo
280|dydx-dydx|DYDX|DYDX (ETH)
350|one-harmony|ONE|Harmony
430|luna-terra-v2|LUNA|Terra
498|bitcoin-harrypotterobamasonic10inu-eth|BITCOIN|HarryPotterObamaSonic10Inu (ETH)
541|ton-tokamak-network|TON|Tokamak Network
549|sonic-sonic-svm|SONIC|Sonic SVM
666|strk-strike|STRK|Strike
688|arrr-pirate|ARRR|Pirate
736|mobilecoin|MOB|MobileCoin
741|iota-miotac|IOTA|MIOTAC
1118|luna-luna-by-virtuals|LUNA|Luna by Virtuals
1240|pirate-pirate-nation-token|PIRATE|Pirate Nation Token
1361|doge-department-of-government-efficiency|DOGE|Department Of Government Efficiency
1471|trump-maga|TRUMP|MAGA
1857|one-menlo-one|ONE|Menlo One
2371|jup-jupiter|JUP|Jupiter
2692|quant-quantfun|QUANT|Quant.Fun
2924|turbo-based-turbo|TURBO|Based Turbo
2974|pepe-next-gen-pepe|PEPE|Next Gen PEPE
3716|xrp-based-xrp|XRP|Based XRP
3779|btc-bitcoin-2015-wrapper-meme|BTC|bitcoin (2015 Wrapper) (Meme)
5497|inu-inu|INU|Inu.
5969|btc-bobby-the-cat|BTC|Bobby The Cat
6544|solana-catfrogdogshark|SOLANA|CatFrogDogShark
6723|bitcoin-harrypotterobamasonic10inu|BITCOIN|HarryPotterObamaSonic10Inu (BSC)
7513|ripple-xrp589|RIPPLE|XRP589
8040|dogecoin-buff-doge-coin|DOGECOIN|Buff Doge Coin
11213|kaspa-kaspa|KASPA|KASPA
12441|terra-avaterra|TERRA|Avaterra
12975|matic-matic|MATIC|MATIC
0|helpico|HELP|Helpico`;

const entries = recorded
  .trim()
  .split('\n')
  .map((line): RegistryEntry => {
    const [rank = '', id = '', symbol = '', name = ''] = line.split('|');
    return { id, symbol, name, rank: Number(rank), is_new: false, is_active: true, type: 'token' };
  });
const { bytes, manifest } = buildRegistry(entries, { source: 'simulated' });
const registry = openRegistryBytes(bytes, manifest);

function found<T>(value: T | null): T {
  if (value === null) throw new ApiFailure(404, 'not found', { isAnswer: true });
  return value;
}

/** The service's own look-ups in these entries. */
function recordedApi() {
  return stubApi({
    resolve: ({ symbol }) => ({
      ...found(coinOfSymbol(symbol, registry)),
      alternatives: registry.searchBySymbol(symbol, { activeOnly: true }).length - 1,
    }),
    coin: ({ id }) => found(registry.getById(id)),
    search: ({ q, limit = 20 }) => {
      const results = registry.search(q, limit, {});
      return { query: q, count: results.length, results };
    },
  });
}

describe('the coin that is meant by', () => {
  test.each([
    ['BTC', 'btc-bitcoin', 0],
    ['btc', 'btc-bitcoin', 0],
    ['Bitcoin', 'btc-bitcoin', 2],
    ['BITCOIN', 'btc-bitcoin', 2],
    ['btc-bitcoin', 'btc-bitcoin', 0],
    ['bitcoin-harrypotterobamasonic10inu', 'bitcoin-harrypotterobamasonic10inu', 0],
    ['ETH', 'eth-ethereum', 0],
    ['Ethereum', 'eth-ethereum', 0],
    ['Ethereum Classic', 'etc-ethereum-classic', 0],
    ['ethereum-classic', 'etc-ethereum-classic', 0],
    ['Solana', 'sol-solana', 1],
    ['XRP', 'xrp-xrp', 0],
    ['ripple', 'ripple-xrp589', 0],
    ['Tether', 'usdt-tether', 0],
    ['DOGE', 'doge-dogecoin', 0],
    ['dogecoin', 'doge-dogecoin', 1],
    ['Wrapped Bitcoin', 'wbtc-wrapped-bitcoin', 0],
    ['bitcoin cash', 'bch-bitcoin-cash', 0],
    ['WETH', 'weth-weth', 0],
    ['TON', 'toncoin-the-open-network', 0],
    ['Toncoin', 'toncoin-the-open-network', 0],
    ['TRUMP', 'trump-official-trump', 0],
    ['PEPE', 'pepe-pepe', 0],
    ['Kaspa', 'kas-kaspa', 1],
    ['Quant', 'qnt-quant', 1],
    ['Sonic', 's-sonic', 1],
    ['IOTA', 'miota-iota', 0],
    ['STRK', 'strk-starknet', 1],
    ['DYDX', 'dydx-dydx-chain', 1],
    ['MATIC', 'matic-polygon', 0],
    ['Turbo', 'turbo-turbo', 0],
    ['ONE', 'one-harmony', 0],
    ['LUNA', 'luna-terra-v2', 1],
    ['Terra', 'luna-terra-v2', 1],
    ['PIRATE', 'pirate-pirate-nation-token', 0],
    ['Jupiter', 'jup-jupiter', 0],
    ['mobilecoin', 'mobilecoin', 0],
  ])('%s is %s, beside %i others that may be', async (text, id, alternatives) => {
    const { api } = recordedApi();
    expect(await coinPaprika.find(api, text)).toMatchObject({ id, alternatives, isActive: true });
  });

  test.each(['hedera', 'etherum', 'help', 'NOSUCH', '..'])('%s is none', async (text) => {
    expect(await coinPaprika.find(recordedApi().api, text)).toBeUndefined();
  });

  test.each([
    ['BTC', ['resolve']],
    ['btc-bitcoin', ['coin']],
    ['Kaspa', ['resolve', 'search']],
    ['Jupiter', ['resolve', 'coin', 'search']],
  ])('%s takes no more than %j', async (text, names) => {
    const { api, calls } = recordedApi();
    await coinPaprika.find(api, text);
    expect(calls.map((call) => call.split(' ')[0])).toEqual(names);
  });
});

test.each([
  ['hedera', [{ name: 'Hedera Hashgraph', typed: 'HBAR' }]],
  ['helpico', []],
  ['mobilcoin', [{ name: 'MobileCoin', typed: 'mobilecoin' }]],
])('like %s are %j', async (text, similar) => {
  expect(await coinPaprika.similar(recordedApi().api, text)).toEqual(similar);
});

test('a symbol that a better known coin has too is not suggested', async () => {
  expect(await coinPaprika.similar(recordedApi().api, 'weth bsc')).toEqual([
    { name: 'WETH (BSC)', typed: 'eth-ethereum-token' },
  ]);
});
