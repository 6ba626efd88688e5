import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { brand } from '../../../shared/http/page.ts';
import { type Coin, coinTitle } from '../../commands/coins.ts';
import { formatCount, formatPrice, NOT_AVAILABLE } from '../../commands/format/numbers.ts';
import { clean } from '../../commands/format/text.ts';
import { isAmount } from '../../commands/portfolio-file.ts';
import type { FailureResult } from '../../commands/result.ts';
import { coinNamed } from '../../commands/run.ts';
import type { MarketdataConvertData, MarketdataTickerData } from '../../sdk/index.ts';
import { isOld, useFeed } from '../app/feed.ts';
import { Age, Amount, Bone, Change, Failure, Monogram, Price } from '../app/parts.tsx';
import { coinPath, go } from '../app/router.ts';
import { api, context, currency, knownTicker, loadedOf, loading } from '../app/session.ts';
import { Badge } from '../chart/badge.tsx';
import { Chart, ChartChange, shownNow, useChart } from '../chart/chart.tsx';
import { hashOf, requestsIn } from '../chart/dashboard.ts';
import { type ChartRequest, comparing, requestFor } from '../chart/request.ts';
import { Star } from '../market/keeps.tsx';
import { CoinField } from '../search/coin-field.tsx';
import { rememberCoin } from '../search/coin-search.ts';

/** A coin: its price first, then its chart and what is known of it. */
export function CoinPage({ id }: { readonly id: string }) {
  const lookup = useFeed<ChartRequest>(id, async () => {
    const coin: Coin | FailureResult = await coinNamed(id, context);
    return 'kind' in coin ? coin : { value: await requestOfAddress(coin), provenance: undefined };
  });
  const first = lookup.loaded.value?.value;
  const coin = first?.coin;
  const failure = lookup.failure.value;
  useEffect(() => {
    document.title = coin ? `${coinTitle(coin)} price and chart · ${brand.name}` : brand.name;
    if (!coin) return;
    rememberCoin(coin);
    if (coin.id !== id) go(coinPath(coin.id), true); // it was named by its symbol
  }, [coin]);
  if (failure?.reason === 'not-found')
    return <Missing what={`There is no coin with the id “${clean(id)}”.`} />;
  if (failure && !coin)
    return <Failure failure={failure} name="the coin" onRetry={() => void lookup.refresh()} />;
  return first ? <Known first={first} /> : <Skeleton />;
}

/** The chart that the address names behind the coin, such as `#+ETH:1y`; without that a month. */
async function requestOfAddress(coin: Coin): Promise<ChartRequest> {
  const usual = requestFor(coin, '1m');
  const [item] = requestsIn(`${encodeURIComponent(coin.id)}${location.hash.slice(1)}`);
  if (location.hash.length < 2 || !item) return usual;
  const named = await Promise.all(item.command.compare.map((name) => coinNamed(name, context)));
  const compared = named.filter((each) => !('kind' in each) && each.id !== coin.id) as Coin[]; // by the filter
  return comparing({ ...item, coin, compared: [], command: { ...item.command, symbol: coin.id } }, compared);
}

function pathOf(request: ChartRequest): string {
  const [, looks = ''] = /([+:].*)$/s.exec(hashOf([request])) ?? [];
  return `${coinPath(request.coin.id)}${looks === '' || looks === ':1m' ? '' : `#${looks}`}`;
}

function Known({ first }: { readonly first: ChartRequest }) {
  const [request, setRequest] = useState(first);
  const { coin } = request;
  const feed = useChart(request);
  const loaded = feed.loaded.value;
  const now = loaded && shownNow(loaded.value, request);
  const ticker = knownTicker(coin.id);
  const data = ticker?.data;
  return (
    <article
      class={`coin-page ${ticker && isOld(ticker.provenance) ? 'old' : ''}`}
      aria-label={coinTitle(coin)}
    >
      <header class="coin-head">
        <Monogram {...coin} />
        <h1>
          {clean(coin.name)} <span class="symbol">{clean(coin.symbol)}</span>
          {data?.rank ? <span class="rank-badge">#{data.rank}</span> : null}
        </h1>
        <Star coin={coin} />
      </header>
      <div class="coin-price">
        <p class="headline">
          {data ? (
            <>
              <span class="price">
                <Price usd={data.quotes.USD.price} />
              </span>{' '}
              <span class="period">24h</span> <Change percent={data.quotes.USD.percent_change_24h} />
            </>
          ) : now ? (
            <>
              <span class="price">{formatPrice(now.chart.price, now.chart.quote)}</span>{' '}
              <span class="period">{now.chart.period}</span> <Change percent={now.chart.change} />
            </>
          ) : (
            <Bone wide />
          )}
        </p>
        {ticker && <Age provenance={ticker.provenance} />}
        {now && <Badge result={now.result} chart={now.chart} />}
        {!coin.isActive && <p class="note">This coin is no longer active.</p>}
      </div>
      <Chart
        request={request}
        feed={feed}
        link={`${location.origin}${pathOf(request)}`}
        onChange={(next) => {
          setRequest(next);
          history.replaceState(history.state, '', pathOf(next));
        }}
        beside={
          now && (
            <span class="shown-change">
              <ChartChange chart={now.chart} />
            </span>
          )
        }
      />
      <div class="coin-below">
        <Facts data={data} />
        <Converter coin={coin} />
      </div>
    </article>
  );
}

function Facts({ data }: { readonly data: MarketdataTickerData | undefined }) {
  const usd = data?.quotes.USD;
  const count = (value: number | null) =>
    value === null ? NOT_AVAILABLE : `${formatCount(Math.round(value))} ${clean(data?.symbol ?? '')}`;
  const fact = (label: string, value: ComponentChildren) => (
    <div>
      <dt>{label}</dt>
      <dd>{usd ? value : <Bone />}</dd>
    </div>
  );
  return (
    <section class="tile facts" aria-label="Facts">
      <h2>Facts</h2>
      <dl class="changes">
        {fact('1h', usd && <Change percent={usd.percent_change_1h} />)}
        {fact('24h', usd && <Change percent={usd.percent_change_24h} />)}
        {fact('7d', usd && <Change percent={usd.percent_change_7d} />)}
        {fact('30d', usd && <Change percent={usd.percent_change_30d} />)}
        {fact('1y', usd && <Change percent={usd.percent_change_1y} />)}
      </dl>
      <dl>
        {fact('Rank', data?.rank ? `#${data.rank}` : 'unranked')}
        {fact('Market cap', usd && <Amount usd={usd.market_cap} />)}
        {fact('Volume 24h', usd && <Amount usd={usd.volume_24h} />)}
        {fact('Circulating supply', data && count(data.circulating_supply))}
        {fact('Total supply', data && count(data.total_supply))}
        {fact('Maximum supply', data && (data.max_supply ? count(data.max_supply) : 'no limit known'))}
        {fact(
          'All-time high',
          usd && (
            <>
              <Price usd={usd.ath_price} /> {usd.ath_date && `on ${usd.ath_date.slice(0, 10)} `}
              <Change percent={usd.percent_from_price_ath} />
            </>
          ),
        )}
        {fact('Known since', data?.first_data_at?.slice(0, 10) ?? NOT_AVAILABLE)}
      </dl>
    </section>
  );
}

/** An amount of the coin in the page's currency, and back, in the service's decimals. */
function Converter({ coin }: { readonly coin: Coin }) {
  const [amount, setAmount] = useState('1');
  const [isBack, setBack] = useState(false);
  const code = currency.value;
  const isValid = isAmount(amount);
  const [from, to] = isBack ? [code, coin.id] : [coin.id, code];
  const feed = useFeed(JSON.stringify([amount, from, to, isValid]), () =>
    loading('The conversion', async () =>
      isValid
        ? loadedOf<MarketdataConvertData | undefined>(await api.convert({ amount, from, to }))
        : { value: undefined, provenance: undefined },
    ),
  );
  const answer = feed.loaded.value?.value;
  const unit = isBack ? code : clean(coin.symbol);
  const failure = feed.failure.value;
  return (
    <section class="tile converter" aria-label="Converter">
      <h2>Converter</h2>
      <label>
        {unit}
        <input
          inputMode="decimal"
          value={amount}
          aria-invalid={!isValid}
          onInput={(event) => setAmount(event.currentTarget.value.trim())}
        />
      </label>
      <button type="button" aria-label="Swap directions" title="Swap" onClick={() => setBack(!isBack)}>
        ⇅
      </button>
      <p class="converted" role="status">
        {!isValid
          ? 'An amount above zero with a point, such as 1.5.'
          : answer
            ? `${shortened(answer.result)} ${isBack ? clean(coin.symbol) : code}`
            : failure
              ? 'No price at hand to convert with.'
              : '…'}
      </p>
    </section>
  );
}

/** As many digits as people read: cents of a thousand and more, ten significant digits of less. */
function shortened(decimal: string): string {
  const isLarge = Number(decimal) >= 1000;
  const digits = isLarge
    ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
    : { maximumSignificantDigits: 10 };
  return new Intl.NumberFormat('en-US', digits).format(Number(decimal));
}

function Skeleton() {
  return (
    <div class="coin-page" aria-busy="true">
      <header class="coin-head">
        <span class="monogram bone" />
        <h1>
          <Bone wide />
        </h1>
      </header>
      <div class="coin-price">
        <p class="headline">
          <Bone wide />
        </p>
      </div>
      <div class="chart">
        <p class="legend">&nbsp;</p>
        <div class="stage">
          <p class="skeleton">Loading …</p>
        </div>
      </div>
    </div>
  );
}

/** In place of a page that does not exist. */
export function Missing({ what }: { readonly what: string }) {
  return (
    <div class="missing">
      <h1>Not found</h1>
      <p>{what} Search for a coin by name or symbol:</p>
      <CoinField
        label="Search for a coin"
        placeholder="Coin"
        onPick={(coin) => {
          go(coinPath(coin.id));
          return undefined;
        }}
      />
      <p>
        Or look at the <a href="/">market</a>.
      </p>
    </div>
  );
}
