import { route as faucetRequest } from './faucet/request/route.ts';
import { route as faucetStatus } from './faucet/status/route.ts';
import { route as gatewayDefault } from './gateway/default/route.ts';
import { route as coin } from './marketdata/coin/route.ts';
import { route as coins } from './marketdata/coins/route.ts';
import { route as ohlcv } from './marketdata/ohlcv/route.ts';
import { route as resolve } from './marketdata/resolve/route.ts';
import { route as search } from './marketdata/search/route.ts';
import { route as ticker } from './marketdata/ticker/route.ts';
import { route as rpcProxy } from './rpc/proxy/route.ts';
import { route as uniswapApprove } from './uniswap/approve/route.ts';
import { route as uniswapQuote } from './uniswap/quote/route.ts';
import { route as uniswapSwap } from './uniswap/swap/route.ts';

/** The table of every endpoint. The infrastructure, the build, the local gateway and the OpenAPI document read it. */
export const routes = [
  ticker,
  ohlcv,
  search,
  resolve,
  coin,
  coins,
  uniswapQuote,
  uniswapApprove,
  uniswapSwap,
  rpcProxy,
  faucetRequest,
  faucetStatus,
  gatewayDefault,
] as const;
