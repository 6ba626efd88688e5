/** Small parts shared by all views. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { converted } from '../../commands/currency.ts';
import {
  formatAmount,
  formatPercent,
  formatPrice,
  movement,
  type QuotedPrice,
  toneOf,
} from '../../commands/format/numbers.ts';
import { clean, type Line } from '../../commands/format/text.ts';
import { formatInstant, formatWait } from '../../commands/format/time.ts';
import type { Provenance } from '../../commands/provenance.ts';
import { Button } from './button.tsx';
import { clock, type Feed, isOld } from './feed.ts';
import { coinPath } from './router.ts';
import { conversion } from './session.ts';
import type { NamedCoin } from './stored.ts';

/** A round mark with the first letters of a coin's symbol, in a colour of its own. Decorative: the name is beside it. */
export function Monogram({ id, symbol }: Pick<NamedCoin, 'id' | 'symbol'>) {
  const letters = [...symbol.replace(/[^\p{L}\p{N}]/gu, '')].slice(0, 2).join('').toUpperCase();
  const hue = [...id].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 0);
  return (
    <span class="monogram" aria-hidden="true" style={{ '--hue': String(hue) }}>
      {letters || '?'}
    </span>
  );
}

interface CoinLinkProps {
  readonly coin: NamedCoin;
  readonly note?: string | undefined;
}

/** Mark, name and symbol, as a link to the coin's page. */
export function CoinLink({ coin, note }: CoinLinkProps) {
  return (
    <a class="coin-link" href={coinPath(coin.id)}>
      <Monogram {...coin} />
      <span class="names">
        <span class="name">{clean(coin.name)}</span>
        <span class="symbol">
          {clean(coin.symbol)}
          {note && <span class="note"> {note}</span>}
        </span>
      </span>
    </a>
  );
}

/** A price in US dollars, shown in the page's currency. */
export function Price({ usd }: { readonly usd: number | null }) {
  return <Quoted price={converted(usd, conversion.value)} quote={conversion.value?.currency} />;
}

const TINT_MS = 600;
const lessMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** A price in its currency; it is tinted for a moment after a change that shows. */
export function Quoted({ price, quote }: QuotedPrice) {
  const place = useRef<HTMLSpanElement>(null);
  const former = useRef<QuotedPrice>(undefined);
  useLayoutEffect(() => {
    const moved = movement(former.current, { price, quote });
    former.current = { price, quote };
    if (!moved || lessMotion.matches) return;
    const tint = { color: `var(--${moved})`, backgroundColor: `var(--${moved}-tint)` };
    place.current?.animate([tint, {}], TINT_MS);
  }, [price, quote]);
  return <span ref={place}>{formatPrice(price, quote)}</span>;
}

export function Amount({ usd }: { readonly usd: number | null }) {
  return <>{formatAmount(converted(usd, conversion.value), conversion.value?.currency)}</>;
}

export function Change({ percent }: { readonly percent: number | null }) {
  return <span class={`change ${toneOf(percent) ?? ''}`}>{formatPercent(percent)}</span>;
}

/** When prices were made; their age once they are older than they should be. */
export function Age({ provenance }: { readonly provenance: Provenance }) {
  const { madeAt } = provenance;
  if (madeAt === undefined) return null;
  const now = clock.value;
  if (!isOld(provenance)) return <span class="age">as of {formatInstant(madeAt, now)}</span>;
  return <span class="age late">{formatWait(Math.max(0, Math.floor((now - madeAt) / 1000)))} old</span>;
}

export function Bone({ wide = false }: { readonly wide?: boolean }) {
  return <span class={wide ? 'bone wide' : 'bone'} />;
}

interface FiguresProps {
  readonly class?: string;
  /** The values by their labels; undefined while they are loading. */
  readonly figures: Readonly<Record<string, ComponentChildren>>;
}

/** Figures with labels; large unless a class says otherwise. */
export function Figures({ class: own = 'figures', figures }: FiguresProps) {
  return (
    <dl class={own}>
      {Object.entries(figures).map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value ?? <Bone />}</dd>
        </div>
      ))}
    </dl>
  );
}

interface LinesProps {
  readonly lines: readonly Line[];
  /** Commands become buttons that run them. */
  readonly runCommand?: (command: string) => void;
}

/** Lines of output; their tones are classes. */
export function Lines({ lines, runCommand }: LinesProps) {
  return lines.map((line) => (
    <div class="line">
      {line.map(({ text, tone, command }) =>
        command === undefined || !runCommand ? (
          <span class={tone}>{text}</span>
        ) : (
          <button type="button" class={`command ${tone ?? ''}`} onClick={() => runCommand(command)}>
            {text}
          </button>
        ),
      )}
    </div>
  ));
}

interface FailureProps {
  readonly feed: Pick<Feed<unknown>, 'failure' | 'refresh'>;
  /** What could not be loaded, for the button's label. */
  readonly name: string;
}

/** Why a feed failed, in place of the missing data or above the old data; the banner says what to do about it. */
export function Failure({ feed: { failure, refresh }, name }: FailureProps) {
  if (!failure) return null;
  return (
    <div class="failure" role="alert">
      <div class="reason">
        <Lines lines={failure.lines} />
      </div>
      <Button label="Retry" aria-label={`Retry: ${name}`} onClick={refresh} />
    </div>
  );
}
