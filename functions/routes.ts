import { route as gatewayDefault } from './gateway/default/route.ts';
import { route as coin } from './marketdata/coin/route.ts';
import { route as coins } from './marketdata/coins/route.ts';
import { route as ohlcv } from './marketdata/ohlcv/route.ts';
import { route as resolve } from './marketdata/resolve/route.ts';
import { route as search } from './marketdata/search/route.ts';
import { route as ticker } from './marketdata/ticker/route.ts';

/** The table of every endpoint. The infrastructure, the build, the local gateway and the OpenAPI document read it. */
export const routes = [ticker, ohlcv, search, resolve, coin, coins, gatewayDefault] as const;
