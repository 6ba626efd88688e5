import { useEffect, useState } from 'preact/hooks';
import { brand } from '../../shared/http/page.ts';
import { type Coin, coinTitle, successionOf } from '../commands/coins.ts';
import { formatCount, formatPrice, NOT_AVAILABLE } from '../commands/format/numbers.ts';
import { clean } from '../commands/format/text.ts';
import { isAmount } from '../commands/portfolio-file.ts';
import type { MarketdataConvertData, MarketdataTickerData } from '../sdk/index.ts';
import { isOld, loadedOf, useFeed } from './app/feed.ts';
import { Age, Amount, Bone, Change, Failure, Figures, Monogram, Price } from './app/parts.tsx';
import { coinPath, go } from './app/router.ts';
import { CoinField, rememberCoin } from './app/search.tsx';
import { api, currency, knownTicker } from './app/session.ts';
import { type ChartRequest, chartOf, chartsIn, hashOf } from './chart/address.ts';
import { requestsOf } from './chart/cards.ts';
import { Chart, ChartChange, SourceBadge, useChart } from './chart/chart.tsx';
import { EmptyCoin } from './market/coin-table.tsx';
import { Star } from './market/keeps.tsx';

/** A coin: its price first, then its chart and details. */
export function CoinPage({ id }: { readonly id: string }) {
  const lookup = useFeed<ChartRequest>(id, 'The coin', async () => {
    // The chart in the address after the coin, such as `#+ETH:1y`; by default a month.
    const [named] = chartsIn(`${encodeURIComponent(id)}${location.hash.slice(1)}`).charts;
    const { requests, failures } = await requestsOf([named ?? { names: [id], range: {} }]);
    const [request] = requests;
    if (!request) return failures[0];
    const isPlain = location.hash.length < 2 || !named;
    return { value: isPlain ? chartOf(request.coin, '1m') : request, provenance: undefined };
  });
  const first = lookup.value;
  const coin = first?.coin;
  useEffect(() => {
    document.title = coin ? `${coinTitle(coin)} price and chart · ${brand.name}` : brand.name;
    if (!coin) return;
    rememberCoin(coin);
    if (coin.id !== id) go(coinPath(coin.id), true); // the address used its symbol
  }, [coin]);
  if (lookup.failure?.reason === 'not-found')
    return <Missing what={`There is no coin with the id “${clean(id)}”.`} />;
  if (!first && lookup.failure) return <Failure feed={lookup} name="the coin" />;
  return first ? <Known first={first} /> : <Skeleton />;
}

function pathOf(request: ChartRequest): string {
  const [, looks = ''] = /([+:].*)$/s.exec(hashOf([request])) ?? [];
  return `${coinPath(request.coin.id)}${looks === '' || looks === ':1m' ? '' : `#${looks}`}`;
}

function Known({ first }: { readonly first: ChartRequest }) {
  const [request, setRequest] = useState(first);
  const { coin } = request;
  const chart = useChart(request);
  const { shown, result } = chart;
  const lastDay = result?.data.data.at(-1)?.time_close.slice(0, 10);
  const ticker = knownTicker(coin.id);
  const data = ticker?.data;
  const usd = data?.quotes.USD;
  return (
    <article class={`coin-page ${isOld(ticker?.provenance) ? 'old' : ''}`} aria-label={coinTitle(coin)}>
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
          {usd || shown ? (
            <>
              <span class="price">
                {usd ? <Price usd={usd.price} /> : formatPrice(shown?.price, shown?.quote)}
              </span>{' '}
              <span class="period">{usd ? '24h' : shown?.period}</span>{' '}
              <Change percent={usd ? usd.percent_change_24h : (shown?.change ?? null)} />
            </>
          ) : (
            <Bone wide />
          )}
        </p>
        {ticker && <Age provenance={ticker.provenance} />}
        <SourceBadge chart={chart} />
        {!coin.isActive && (
          <p class="note">
            This coin is no longer active.{!usd && lastDay && ` Its last known price is of ${lastDay}.`}
          </p>
        )}
        <Succession coin={coin} />
      </div>
      <Chart
        request={request}
        chart={chart}
        link={`${location.origin}${pathOf(request)}`}
        onChange={(next) => {
          setRequest(next);
          history.replaceState(history.state, '', pathOf(next));
        }}
        beside={<span class="shown-change">{shown && <ChartChange chart={shown} />}</span>}
      />
      <div class="coin-below">
        <Facts data={data} />
        <Converter coin={coin} />
      </div>
    </article>
  );
}

/** That the coin continues as another, or continues the one whose symbol the address has. */
function Succession({ coin }: { readonly coin: Coin }) {
  const text = successionOf(coin);
  if (text === undefined) return null;
  const other = coin.successor ?? coin.predecessor;
  return <p class="note">{other ? <a href={coinPath(other.id)}>{text}</a> : text}.</p>;
}

function Facts({ data }: { readonly data: MarketdataTickerData | undefined }) {
  const usd = data?.quotes.USD;
  const count = (value: number | null) =>
    value === null ? NOT_AVAILABLE : `${formatCount(Math.round(value))} ${clean(data?.symbol ?? '')}`;
  return (
    <section class="tile facts" aria-label="Facts">
      <h2>Facts</h2>
      <Figures
        class="changes"
        figures={{
          '1h': usd && <Change percent={usd.percent_change_1h} />,
          '24h': usd && <Change percent={usd.percent_change_24h} />,
          '7d': usd && <Change percent={usd.percent_change_7d} />,
          '30d': usd && <Change percent={usd.percent_change_30d} />,
          '1y': usd && <Change percent={usd.percent_change_1y} />,
        }}
      />
      <Figures
        class=""
        figures={{
          Rank: data && (data.rank ? `#${data.rank}` : 'unranked'),
          'Market cap': usd && <Amount usd={usd.market_cap} />,
          'Volume 24h': usd && <Amount usd={usd.volume_24h} />,
          'Circulating supply': data && count(data.circulating_supply),
          'Total supply': data && count(data.total_supply),
          'Maximum supply': data && (data.max_supply ? count(data.max_supply) : 'no limit known'),
          // The high of the dollar is not that of another currency.
          'All-time high': usd && formatPrice(usd.ath_price),
          'Since that high': usd && (
            <>
              <Change percent={usd.percent_from_price_ath} /> {usd.ath_date?.slice(0, 10)}
            </>
          ),
          'Known since': data && (data.first_data_at?.slice(0, 10) ?? NOT_AVAILABLE),
        }}
      />
    </section>
  );
}

/** Converts an amount of the coin to the page's currency and back, in the service's decimals. */
function Converter({ coin }: { readonly coin: Coin }) {
  const [amount, setAmount] = useState('1');
  const [isBack, setBack] = useState(false);
  const isValid = isAmount(amount);
  const sides = [
    { id: coin.id, unit: clean(coin.symbol) },
    { id: currency.value, unit: currency.value },
  ] as const;
  const [from, to] = isBack ? [sides[1], sides[0]] : sides;
  const { value, failure } = useFeed<MarketdataConvertData>(
    JSON.stringify([amount, from, to]),
    'The conversion',
    async () => (isValid ? loadedOf(await api.convert({ amount, from: from.id, to: to.id })) : undefined),
  );
  const result = value && `${shortened(value.result)} ${to.unit}`;
  return (
    <section class="tile converter" aria-label="Converter">
      <h2>Converter</h2>
      <label>
        {from.unit}
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
        {isValid
          ? (result ?? (failure ? 'There is no price to convert with.' : '…'))
          : 'An amount above zero with a point, such as 1.5.'}
      </p>
    </section>
  );
}

/** Digits that people read: cents from a thousand on, ten significant digits below. */
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
        <EmptyCoin />
      </header>
      <p class="coin-price headline">
        <Bone wide />
      </p>
      <p class="chart">Loading …</p>
    </div>
  );
}

/** Shown for an address that does not exist. */
export function Missing({ what }: { readonly what: string }) {
  return (
    <div class="missing">
      <h1>Not found</h1>
      <p>{what} Search for a coin by name or symbol:</p>
      <CoinField label="Search for a coin" placeholder="Coin" onPick={(coin) => go(coinPath(coin.id))} />
      <p>
        Or look at the <a href="/">market</a>.
      </p>
    </div>
  );
}
