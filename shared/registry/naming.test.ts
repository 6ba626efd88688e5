import { describe, expect, test } from 'vitest';
import { buildRegistry } from '../../registry-layer/build.ts';
import type { RegistryEntry } from './entries.ts';
import { coinNamed } from './naming.ts';
import { openRegistryBytes } from './registry.ts';

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
entries.push({
  id: 'old-coin',
  symbol: 'OLD',
  name: 'Old Coin',
  rank: 0,
  is_new: false,
  is_active: false,
  type: 'coin',
});
const { bytes, manifest } = buildRegistry(entries, { source: 'simulated' });
const registry = openRegistryBytes(bytes, manifest);

describe('the coin named by', () => {
  test.each([
    ['BTC', 'btc-bitcoin', 0],
    ['btc', 'btc-bitcoin', 0],
    ['Bitcoin', 'btc-bitcoin', 2],
    ['btc-bitcoin', 'btc-bitcoin', 0],
    ['bitcoin-harrypotterobamasonic10inu', 'bitcoin-harrypotterobamasonic10inu', 0],
    ['Ethereum Classic', 'etc-ethereum-classic', 0],
    ['ethereum-classic', 'etc-ethereum-classic', 0],
    ['Solana', 'sol-solana', 1],
    ['XRP', 'xrp-xrp', 0],
    ['ripple', 'ripple-xrp589', 0],
    ['Tether', 'usdt-tether', 0],
    ['dogecoin', 'doge-dogecoin', 1],
    ['WETH', 'weth-weth', 0],
    ['TON', 'toncoin-the-open-network', 0],
    ['Kaspa', 'kas-kaspa', 1],
    ['STRK', 'strk-starknet', 1],
    ['LUNA', 'luna-terra-v2', 1],
    ['PIRATE', 'pirate-pirate-nation-token', 0],
    ['mobilecoin', 'mobilecoin', 0],
  ])('%s is %s, with %i alternatives', (text, id, others) => {
    const coin = coinNamed(text, registry);
    expect(coin?.entry.id).toBe(id);
    expect(coin?.isAmbiguous ? coin.alternatives : 0).toBe(others);
  });

  test.each(['hedera', 'etherum', 'help', 'NOSUCH', '..', ' ', '-'])('"%s" is none', (text) => {
    expect(coinNamed(text, registry)).toBeNull();
  });

  test('an id is the coin of that id though it is inactive or unranked', () => {
    expect(coinNamed('helpico', registry)).toMatchObject({ foundBy: 'id', entry: { rank: 0 } });
    expect(coinNamed('old-coin', registry)).toMatchObject({ foundBy: 'id', entry: { is_active: false } });
    expect(coinNamed('Old Coin', registry)).toBeNull();
  });
});
