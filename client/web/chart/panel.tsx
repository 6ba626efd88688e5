import { coinTitle } from '../../commands/coins.ts';
import { type GlyphName, IconButton } from '../app/button.tsx';
import { isOld, useFeed } from '../app/feed.ts';
import { Age, Bone, CoinLink, Failure, Quoted } from '../app/parts.tsx';
import { view } from '../app/router.ts';
import { type ChartRequest, chartsIn, hashOf } from './address.ts';
import { cards, changeChart, moveChart, openAddress, remarks, removeChart } from './cards.ts';
import { Chart, ChartChange, SourceBadge, useChart } from './chart.tsx';

const EXAMPLES = [
  ['/#BTC', 'Bitcoin'],
  ['/#ETH:line:1y', 'A year of Ethereum as a line'],
  ['/#BTC+ETH+SOL', 'Bitcoin, Ethereum and Solana compared'],
] as const;

/** The index of the dragged card. */
let dragged: number | undefined;

/** The charts of the address, side by side. */
export function Charts() {
  const hash = view.value.name === 'charts' ? view.value.hash : '';
  const address = useFeed(hash, 'The charts of this address', async () => await openAddress(hash));
  const isExpecting = address.isBusy && hash !== hashOf(cards.value);
  const expected = isExpecting ? chartsIn(hash).charts.length : 0;
  return (
    <div class="charts">
      <h1 class="visually-hidden">Charts</h1>
      <Failure feed={address} name="the charts of this address" />
      {remarks.value.length > 0 && (
        <div class="notice" role="alert">
          <p>{remarks.value.join(' ')}</p>
        </div>
      )}
      {cards.value.length + expected === 0 && (
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
            onDragOver={(event) => {
              event.preventDefault();
              if (dragged === undefined) return;
              moveChart(dragged, index);
              dragged = index;
            }}
          >
            <Card request={request} index={index} />
          </li>
        ))}
        {Array.from({ length: expected }, (_, index) => (
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

function Card({ request, index }: { readonly request: ChartRequest; readonly index: number }) {
  const chart = useChart(request);
  const { shown } = chart;
  const name = coinTitle(request.coin);
  const tool = (glyph: GlyphName, verb: string, where: string, onClick: () => void) => (
    <IconButton glyph={glyph} label={`${verb} ${name}${where}`} title={`${verb}${where}`} onClick={onClick} />
  );
  return (
    <article class={`card ${isOld(shown?.provenance) ? 'old' : ''}`} aria-label={name}>
      <header
        draggable
        onDragStart={() => {
          dragged = index;
        }}
        onDragEnd={() => {
          dragged = undefined;
        }}
      >
        <CoinLink coin={request.coin} />
        <p class="headline">
          {shown ? (
            <>
              <span class="price">
                <Quoted price={shown.price} quote={shown.quote} />
              </span>{' '}
              <ChartChange chart={shown} />
            </>
          ) : (
            <Bone wide />
          )}
        </p>
        {shown && <Age provenance={shown.provenance} />}
        <span class="tools">
          {tool('up', 'Move', ' up', () => moveChart(index, index - 1))}
          {tool('down', 'Move', ' down', () => moveChart(index, index + 1))}
          {tool('remove', 'Remove', '', () => removeChart(index))}
        </span>
      </header>
      <Chart
        request={request}
        chart={chart}
        beside={<SourceBadge chart={chart} />}
        link={`${location.origin}/${hashOf([request])}`}
        onChange={(next) => changeChart(index, next)}
      />
    </article>
  );
}
