import { type Dependencies, endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { jointOrigin, setOriginHeaders } from '../../../shared/marketdata/provenance.ts';
import { currentRates, type EuroRates } from '../../../shared/marketdata/rates.ts';
import {
  type Asset,
  assetOf,
  converted,
  currencyCodes,
  originFieldsOf,
  type Worth,
  worthOfCoin,
  worthOfCurrency,
} from '../../../shared/marketdata/serve/convert.ts';
import { decimal, decimalText, ONE, rounding } from '../../../shared/marketdata/serve/decimals.ts';
import { priceNow } from '../../../shared/marketdata/serve/price-now.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { tickerDemand } from '../../../shared/providers/demand.ts';
import { answeringRegistry } from '../../../shared/registry/container.ts';
import { type RegistryLookups, relatedCoins } from '../../../shared/registry/lookups.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ amount, from, to }, dependencies) => {
  const { environment, headers } = dependencies;
  const [registry, rates] = await Promise.all([
    answeringRegistry(headers, environment),
    currentRates(environment),
  ]);
  const assets = await Promise.all([namedAsset(from, registry, rates), namedAsset(to, registry, rates)]);
  const now = Date.now();
  const [one, other] = await Promise.all([
    worthOf(assets[0], rates, dependencies, now),
    worthOf(assets[1], rates, dependencies, now),
  ]);
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

async function namedAsset(
  text: string,
  registry: RegistryLookups,
  rates: EuroRates | undefined,
): Promise<Asset> {
  const asset = assetOf(text, registry, rates);
  if (asset) return asset;
  const former = (await import('../../../shared/registry/successors.ts')).equalCoin(text, registry);
  if (former) return { kind: 'coin', coin: former.entry, predecessor: former.predecessor };
  const codes = currencyCodes(rates).join(', ');
  throw ApiError.notFound(
    `Unknown coin or currency: ${text}; allowed: a coin id or the symbol of an active, ranked coin, ` +
      `which /api/marketdata/search finds, or one of ${codes}`,
  );
}

/** A price that is not stored is fetched, as by the ticker route. Throws as that does, and 404 for a coin without a price. */
async function worthOf(
  asset: Asset,
  rates: EuroRates | undefined,
  dependencies: Dependencies,
  now: number,
): Promise<Worth> {
  if (asset.kind === 'currency') return worthOfCurrency(asset.code, rates, now);
  const { coin } = asset;
  const options = { ...tickerDemand(dependencies, coin), maxAge: 'shown' } as const;
  const worth = worthOfCoin(await priceNow(dependencies.environment, coin.id, options));
  if (worth) return worth;
  throw await (await import('../../../shared/marketdata/serve/last-price.ts')).unpriced(
    dependencies.environment,
    coin.id,
  );
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
