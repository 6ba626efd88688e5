import type { Domain } from '../shared/http/domain.ts';
import { domain as aggregator } from './aggregator/domain.ts';
import { domain as coingecko } from './coingecko/domain.ts';
import { domain as exportDomain } from './export/domain.ts';
import { domain as faucet } from './faucet/domain.ts';
import { domain as gateway } from './gateway/domain.ts';
import { domain as marketdata } from './marketdata/domain.ts';
import { domain as mcp } from './mcp/domain.ts';
import { domain as page } from './page/domain.ts';
import { domain as rpc } from './rpc/domain.ts';
import { domain as udf } from './udf/domain.ts';
import { domain as uniswap } from './uniswap/domain.ts';

/** The table of domains, in the order of the OpenAPI document. Build, infrastructure and local runs read it. */
export const domains: readonly Domain[] = [
  marketdata,
  coingecko,
  exportDomain,
  udf,
  uniswap,
  aggregator,
  rpc,
  faucet,
  mcp,
  page,
  gateway,
];
