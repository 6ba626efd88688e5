import { adapterEndpoint } from '../../../shared/http/adapter.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { coinGeckoIds } from '../../../shared/registry/coingecko-ids.ts';
import { simplePrice, tokenPrice } from '../prices.ts';
import { shape } from '../request.ts';
import { route } from './route.ts';

/** Loaded with the first request that needs them: most requests are for prices. */
const charts = () => import('../charts.ts');
const coin = () => import('../coin.ts');
const lists = () => import('../lists.ts');
const markets = () => import('../markets.ts');

export const handler = adapterEndpoint(
  route,
  {
    ping: async (request) => (await lists()).ping(request),
    'simple-price': simplePrice,
    'simple-token-price': tokenPrice,
    'simple-supported-vs-currencies': async (request) => (await lists()).supportedCurrencies(request),
    'coins-list': async (request) => (await lists()).coinList(request),
    'coins-markets': async (request) => (await markets()).marketRows(request),
    coins: async (request) => (await coin()).coinPage(request),
    'coins-history': async (request) => (await coin()).history(request),
    'coins-market-chart': async (request) => (await charts()).marketChart(request),
    'coins-market-chart-range': async (request) => (await charts()).marketChartRange(request),
    'coins-ohlc': async (request) => (await charts()).ohlc(request),
    'coins-contract': async (request) => (await coin()).coinPage(request),
    'coins-contract-market-chart': async (request) => (await charts()).marketChart(request),
    'coins-contract-market-chart-range': async (request) => (await charts()).marketChartRange(request),
    search: async (request) => (await lists()).search(request),
    'search-trending': async (request) => (await lists()).trending(request),
    global: async (request) => (await lists()).global(request),
    'asset-platforms': async (request) => (await lists()).assetPlatforms(request),
    key: async (request) => (await lists()).key(request),
  },
  shape,
);

await atInit(currentSnapshot, coinGeckoIds);
