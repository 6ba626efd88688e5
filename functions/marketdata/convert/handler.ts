import { type Dependencies, endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { jointOrigin, setOriginHeaders } from '../../../shared/marketdata/provenance.ts';
import { currentRates, type EuroRates } from '../../../shared/marketdata/rates.ts';
import {
  type Asset,
  assetOf,
  converted,
  originFieldsOf,
  type Worth,
  worthOfCoin,
  worthOfCurrency,
} from '../../../shared/marketdata/serve/convert.ts';
import { decimal, decimalText, ONE, rounding } from '../../../shared/marketdata/serve/decimals.ts';
import { priceNow } from '../../../shared/marketdata/serve/price-now.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { historyDemand, tickerDemand } from '../../../shared/providers/demand.ts';
import { answeringRegistry } from '../../../shared/registry/container.ts';
import type { RegistryLookups } from '../../../shared/registry/lookups.ts';
import { relatedCoins } from '../../../shared/registry/related-coins.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ amount, from, to, at }, dependencies) => {
  const { environment, headers } = dependencies;
  const [registry, rates] = await Promise.all([
    answeringRegistry(headers, environment),
    currentRates(environment),
  ]);
  const assets = await Promise.all([namedAsset(from, registry), namedAsset(to, registry)]);
  const now = Date.now();
  const worthsOf =
    at === undefined ? worthOf(rates, dependencies, now) : await worthAt(at, dependencies, now);
  const [one, other] = await Promise.all([worthsOf(assets[0]), worthsOf(assets[1])]);
  const origin = jointOrigin([one.origin, other.origin]);
  // A conversion of US dollars to US dollars keeps the registry's headers.
  setOriginHeaders(headers, origin);
  const given = decimal(amount);
  const isSame = keyOf(assets[0]) === keyOf(assets[1]);
  return {
    amount: decimalText(given),
    from: await legOf(assets[0], one, registry),
    to: await legOf(assets[1], other, registry),
    rate: decimalText(converted(ONE, one, other)),
    // An amount of the same asset keeps all its digits.
    result: decimalText(isSame ? given : converted(given, one, other)),
    rounding,
    ageSeconds: origin ? Math.max(0, Math.floor((now - origin.madeAt) / 1000)) : null,
  };
});

async function namedAsset(text: string, registry: RegistryLookups): Promise<Asset> {
  const asset = assetOf(text, registry);
  if (asset) return asset;
  const former = (await import('../../../shared/registry/successors.ts')).equalCoin(text, registry);
  if (former) return { kind: 'coin', coin: former.entry, predecessor: former.predecessor };
  throw ApiError.notFound(
    `Unknown coin or currency: ${text}; allowed: a coin id or the symbol of an active, ranked coin, ` +
      'which /api/marketdata/search finds, or the ISO 4217 code of a currency, such as EUR',
  );
}

/** A price that is not stored is fetched, as by the ticker route. Throws as that does, and 404 for a coin without a price. */
function worthOf(rates: EuroRates | undefined, dependencies: Dependencies, now: number) {
  return async (asset: Asset): Promise<Worth> => {
    if (asset.kind === 'currency') return worthOfCurrency(asset.code, rates, now);
    const { coin } = asset;
    const options = { ...tickerDemand(dependencies, coin), maxAge: 'shown' } as const;
    const worth = worthOfCoin(await priceNow(dependencies.environment, coin.id, options));
    if (worth) return worth;
    const { unpriced } = await import('../../../shared/marketdata/serve/last-price.ts');
    throw await unpriced(dependencies.environment, coin.id);
  };
}

/** The same at an instant. Loaded only for a request with one. Throws 400 for an invalid one. */
async function worthAt(text: string, dependencies: Dependencies, now: number) {
  const { environment } = dependencies;
  const [{ instantOf }, { worthOfCurrencyAt, worthsAt }] = await Promise.all([
    import('../price/instants.ts'),
    import('../../../shared/marketdata/serve/worth-at.ts'),
  ]);
  const at = instantOf(text, now);
  return async (asset: Asset): Promise<Worth> => {
    if (asset.kind === 'currency') return worthOfCurrencyAt(environment, asset.code, at);
    const { coin } = asset;
    const [worth] = await worthsAt(environment, [coin.id], at, historyDemand(dependencies, coin));
    if (!worth) throw ApiError.notFound(`No price of ${coin.id} is known within a day before ${text}`);
    return worth;
  };
}

function keyOf(asset: Asset): string {
  return asset.kind === 'coin' ? `coin ${asset.coin.id}` : `currency ${asset.code}`;
}

async function legOf(asset: Asset, { origin }: Worth, registry: RegistryLookups) {
  if (asset.kind === 'currency') return { ...asset, ...originFieldsOf(origin) };
  const { id, symbol, name } = asset.coin;
  const related = await relatedCoins(id, asset.predecessor, registry);
  return { kind: asset.kind, id, symbol, name, ...related, ...originFieldsOf(origin) };
}

await atInit(currentSnapshot, currentRates);
