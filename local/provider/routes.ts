import { type Answer, failure, ok, redirect, unknownRoute } from './answer.ts';
import { listed } from './coins.ts';
import { contractsOf, platforms } from './contracts.ts';
import { coinDetails } from './details.ts';
import { tickersHistorical } from './history.ts';
import type { Asset, Market } from './market.ts';
import { type CoinRequest, ohlcvHistorical, ohlcvLatest, ohlcvToday } from './ohlcv.ts';
import { type Plan, PlanRefusal } from './plan.ts';
import { InvalidParameters } from './query.ts';
import { ticker } from './ticker.ts';
import { lastMinute } from './time.ts';

/** Settings of the server that change its answers. */
export interface Conditions {
  readonly market: Market;
  readonly plan: Plan;
  readonly nowMs: number;
  /** Status of a plan's refusal: 402, or 400 as on older servers. */
  readonly refusalStatus: 402 | 400;
}

type ListRequest = Omit<CoinRequest, 'asset'>;

interface Route<R> {
  readonly contentType: string;
  readonly respond: (request: R) => unknown;
}

const FREE_TICKERS = 2000;
const json = 'application/json';
const jsonInUtf8 = 'application/json; charset=UTF-8';

const lists = new Map<string, Route<ListRequest>>([
  ['coins', { contentType: jsonInUtf8, respond: ({ market }) => market.coins.map(listed) }],
  ['tickers', { contentType: jsonInUtf8, respond: allTickers }],
  ['contracts', { contentType: json, respond: () => platforms.map(({ id }) => id) }],
]);

const coinRoutes = new Map<string, Route<CoinRequest>>([
  ['coins/:id', { contentType: json, respond: ({ asset, lastMs }) => coinDetails(asset, lastMs) }],
  ['coins/:id/ohlcv/historical', { contentType: json, respond: ohlcvHistorical }],
  ['coins/:id/ohlcv/latest', { contentType: json, respond: ohlcvLatest }],
  ['coins/:id/ohlcv/today', { contentType: json, respond: ohlcvToday }],
  [
    'tickers/:id',
    { contentType: jsonInUtf8, respond: ({ asset, plan, lastMs }) => ticker(asset, plan, lastMs) },
  ],
  ['tickers/:id/historical', { contentType: json, respond: tickersHistorical }],
]);

/** Answers a GET of `url` (path and query as sent) as the provider does, errors included. */
export function respond(url: string, conditions: Conditions): Answer {
  const [path = '', search = ''] = split(url, '?');
  if (!path.startsWith('/v1/')) return unknownRoute();
  const segments = path.slice('/v1/'.length).split('/');
  if (segments.length > 1 && segments.at(-1) === '') {
    const isRoute = routeOf(segments.slice(0, -1)) !== undefined;
    return isRoute ? redirect(301, path.slice(0, -1) + (search && `?${search}`)) : unknownRoute();
  }
  const { market, plan, nowMs } = conditions;
  const request: ListRequest = {
    market,
    plan,
    nowMs,
    query: new URLSearchParams(search),
    lastMs: lastMinute(nowMs),
  };
  try {
    return answerRoute(segments, request);
  } catch (error) {
    if (error instanceof InvalidParameters) return failure(400, 'Invalid parameters');
    if (error instanceof PlanRefusal) return failure(conditions.refusalStatus, error.message);
    throw error;
  }
}

function answerRoute(segments: readonly string[], request: ListRequest): Answer {
  const ageSeconds = Math.floor((request.nowMs - request.lastMs) / 1000);
  const [collection, platform, ...rest] = segments;
  if (collection === 'contracts' && platform && rest.length === 0) {
    const contracts = contractsOf(request.market, platform);
    return contracts ? ok(contracts, json, request.lastMs, ageSeconds) : failure(404, 'id not found');
  }
  const found = routeOf(segments);
  if (!found) return unknownRoute();
  if ('list' in found) {
    return ok(found.list.respond(request), found.list.contentType, request.lastMs, ageSeconds);
  }
  const asset = request.market.asset(decode(found.id));
  // The provider keeps the entry of a coin that is no longer active, but has no prices for it.
  const isMissing = !asset || (asset.coin.is_active === false && found.hasPrices);
  if (isMissing) return failure(404, 'id not found');
  return ok(
    found.coinRoute.respond({ ...request, asset }),
    found.coinRoute.contentType,
    request.lastMs,
    ageSeconds,
  );
}

type Found =
  | { readonly list: Route<ListRequest> }
  | { readonly coinRoute: Route<CoinRequest>; readonly id: string; readonly hasPrices: boolean };

function routeOf(segments: readonly string[]): Found | undefined {
  const [collection = '', id, ...rest] = segments;
  if (id === undefined) {
    const list = lists.get(collection);
    return list && { list };
  }
  const pattern = [collection, ':id', ...rest].join('/');
  const coinRoute = id === '' ? undefined : coinRoutes.get(pattern);
  return coinRoute && { coinRoute, id, hasPrices: pattern !== 'coins/:id' };
}

function allTickers({ market, plan, lastMs }: ListRequest): object[] {
  return listedAssets(market, plan).map((asset) => ticker(asset, plan, lastMs));
}

/** Those of which a plan lists the tickers, by rank. */
export function listedAssets(market: Market, plan: Plan): Asset[] {
  const active = market.coins
    .filter((coin) => coin.is_active !== false && coin.rank > 0)
    .toSorted((a, b) => a.rank - b.rank);
  const shown = plan === 'free' ? active.slice(0, FREE_TICKERS) : active;
  return shown.flatMap(({ id }) => market.asset(id) ?? []);
}

/** The id in a segment of a path. */
export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a bad escape is an id of no coin
  }
}

function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
