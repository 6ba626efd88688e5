import { useState } from 'preact/hooks';
import { coinTitle } from '../../commands/coins.ts';
import { formatPrice } from '../../commands/format/numbers.ts';
import { isOld, useFeed } from '../app/feed.ts';
import { Age, Bone, CoinLink, Failure, IconButton } from '../app/parts.tsx';
import { view } from '../app/router.ts';
import { Badge } from '../chart/badge.tsx';
import { Chart, ChartChange, shownNow, useChart } from '../chart/chart.tsx';
import { hashOf } from '../chart/dashboard.ts';
import type { ChartRequest } from '../chart/request.ts';
import { cards, changeChart, expected, moveChart, openAddress, remarks, removeChart } from './charts.ts';

const EXAMPLES = [
  ['/#BTC', 'Bitcoin'],
  ['/#ETH:line:1y', 'A year of Ethereum as a line'],
  ['/#BTC+ETH+SOL', 'Bitcoin, Ethereum and Solana compared'],
] as const;

/** Charts side by side, as the address names them. */
export function ChartsView() {
  const shown = view.value;
  const hash = shown.name === 'charts' ? shown.hash : '';
  const [dragged, setDragged] = useState<number>();
  const address = useFeed(
    hash,
    async () => (await openAddress(hash)) ?? { value: undefined, provenance: undefined },
  );
  const failure = address.failure.value;
  return (
    <div class="charts">
      <h1 class="visually-hidden">Charts</h1>
      {failure && (
        <Failure failure={failure} name="the charts of this address" onRetry={() => void address.refresh()} />
      )}
      {remarks.value.length > 0 && (
        <div class="notice" role="alert">
          <p>{remarks.value.join(' ')}</p>
        </div>
      )}
      {cards.value.length + expected.value === 0 && (
        <div class="empty">
          <p>No charts yet. Type a command such as cchart BTC, or try one of these:</p>
          <p class="examples">
            {EXAMPLES.map(([href, text]) => (
              <a key={href} href={href}>
                {text}
              </a>
            ))}
          </p>
        </div>
      )}
      <ol class="cards">
        {cards.value.map((request, index) => (
          <li
            key={keyAt(index)}
            draggable={dragged !== undefined}
            onDragStart={() => setDragged(index)}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => {
              event.preventDefault();
              if (dragged === undefined || dragged === index) return;
              moveChart(dragged, index);
              setDragged(index);
            }}
          >
            <Card
              request={request}
              index={index}
              onGrip={(isHeld) => setDragged(isHeld ? index : undefined)}
            />
          </li>
        ))}
        {Array.from({ length: expected.value }, (_, index) => (
          <li key={index}>
            <div class="card skeleton" aria-hidden="true">
              Loading …
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Stays the same while a chart is moved or changed. */
function keyAt(index: number): string {
  const id = cards.value[index]?.coin.id;
  const before = cards.value.slice(0, index).filter(({ coin }) => coin.id === id);
  return `${id} ${before.length}`;
}

interface CardProps {
  readonly request: ChartRequest;
  readonly index: number;
  /** A card is dragged by its heading alone, from when the button of the mouse goes down. */
  readonly onGrip: (isHeld: boolean) => void;
}

function Card({ request, index, onGrip }: CardProps) {
  const feed = useChart(request);
  const loaded = feed.loaded.value;
  const now = loaded && shownNow(loaded.value, request);
  const name = coinTitle(request.coin);
  const isStale = now !== undefined && isOld(now.chart.provenance);
  return (
    <article class={`card ${isStale ? 'old' : ''}`} aria-label={name}>
      <header onMouseDown={() => onGrip(true)} onMouseUp={() => onGrip(false)}>
        <CoinLink coin={request.coin} />
        <p class="headline">
          {now ? (
            <>
              <span class="price">{formatPrice(now.chart.price, now.chart.quote)}</span>{' '}
              <ChartChange chart={now.chart} />
            </>
          ) : (
            <Bone wide />
          )}
        </p>
        {now && <Age provenance={now.chart.provenance} />}
        <span class="tools">
          <IconButton
            glyph="up"
            label={`Move ${name} up`}
            title="Move up"
            onClick={() => moveChart(index, index - 1)}
          />
          <IconButton
            glyph="down"
            label={`Move ${name} down`}
            title="Move down"
            onClick={() => moveChart(index, index + 1)}
          />
          <IconButton
            glyph="remove"
            label={`Remove ${name}`}
            title="Remove"
            onClick={() => removeChart(index)}
          />
        </span>
      </header>
      <Chart
        request={request}
        feed={feed}
        beside={now && <Badge result={now.result} chart={now.chart} />}
        link={`${location.origin}/${hashOf([request])}`}
        onChange={(next) => changeChart(index, next)}
      />
    </article>
  );
}
