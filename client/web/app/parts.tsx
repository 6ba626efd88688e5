/** Small parts that every view is made of. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { converted } from '../../commands/currency.ts';
import { formatAmount, formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import { toneOf } from '../../commands/format/price.ts';
import { clean, type Line } from '../../commands/format/text.ts';
import { formatInstant, formatWait } from '../../commands/format/time.ts';
import type { Provenance } from '../../commands/provenance.ts';
import { clock, type Feed, isOld } from './feed.ts';
import { coinPath } from './router.ts';
import { conversion, isOffline, isSettingsOpen, setTo } from './session.ts';
import type { NamedCoin } from './stored.ts';

/** Paths in a field of 20 by 20, drawn with lines. */
const glyphs = {
  search: 'M9 3.75a5.25 5.25 0 1 0 0 10.5a5.25 5.25 0 1 0 0-10.5zM13 13l4 4',
  settings: 'M3 6h7m4 0h3M3 14h3m4 0h7M12 4a2 2 0 1 0 0 4a2 2 0 1 0 0-4zM8 12a2 2 0 1 0 0 4a2 2 0 1 0 0-4z',
  theme: 'M10 3v14a7 7 0 0 0 0-14zM10 3a7 7 0 0 0 0 14',
  terminal: 'M3 4h14v12H3zM6 8l2.5 2L6 12M10.5 12.5H14',
  star: 'M10 2.8l2.2 4.5 5 .7-3.6 3.5.9 4.9L10 14.1l-4.5 2.3.9-4.9L2.8 8l5-.7z',
  refresh: 'M16 10a6 6 0 1 1-2-4.5M16 3v3.5h-3.5',
  expand: 'M8 4H4v4M12 4h4v4M8 16H4v-4M12 16h4v-4',
  collapse: 'M4 8h4V4M16 8h-4V4M4 12h4v4M16 12h-4v4',
  remove: 'M5 5l10 10M15 5L5 15',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  up: 'M10 16V4M5 9l5-5 5 5',
  down: 'M10 4v12M5 11l5 5 5-5',
} as const;

export type GlyphName = keyof typeof glyphs;

export function Glyph({ name }: { readonly name: GlyphName }) {
  return (
    <svg class={`glyph glyph-${name}`} viewBox="0 0 20 20" aria-hidden="true">
      <path d={glyphs[name]} />
    </svg>
  );
}

interface IconButtonProps {
  readonly glyph: GlyphName;
  readonly label: string;
  /** Shown when the pointer rests on it; the label unless given. */
  readonly title?: string;
  readonly pressed?: boolean;
  readonly class?: string;
  readonly onClick: () => void;
}

export function IconButton({
  glyph,
  label,
  title = label,
  pressed,
  class: own = '',
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon ${own}`}
      aria-label={label}
      title={title}
      aria-pressed={pressed}
      {...rest}
    >
      <Glyph name={glyph} />
    </button>
  );
}

interface DisclosureProps {
  readonly kind: 'menu' | 'badge';
  /** Unless the content of the button says it. */
  readonly label?: string;
  readonly class: string;
  readonly button: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A button that shows what is needed seldom, until Escape is pressed or the focus goes elsewhere. */
export function Disclosure({ kind, label, class: own, button, children }: DisclosureProps) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  return (
    <span
      ref={place}
      class={`${kind}-place`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
        place.current?.querySelector('button')?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !place.current?.contains(relatedTarget)) setOpen(false);
      }}
    >
      <button
        type="button"
        class={own}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <span class={`${kind}-content`} role="group" aria-label={label}>
          {children}
        </span>
      )}
    </span>
  );
}

/** A round mark with the first letters of a coin's symbol, in a colour of its own. Decoration: the name stands beside it. */
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

/** A price in US dollars, as the page's currency has it. */
export function Price({ usd }: { readonly usd: number | null }) {
  return <>{formatPrice(converted(usd, conversion.value), conversion.value?.currency)}</>;
}

export function Amount({ usd }: { readonly usd: number | null }) {
  return <>{formatAmount(converted(usd, conversion.value), conversion.value?.currency)}</>;
}

export function Change({ percent }: { readonly percent: number | null }) {
  return <span class={`change ${toneOf(percent) ?? ''}`}>{formatPercent(percent)}</span>;
}

/** When prices were made; how old they are as soon as they are older than they should be. */
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
  /** By what they are called; undefined while they are loaded. */
  readonly figures: Readonly<Record<string, ComponentChildren>>;
}

/** What matters most, in large figures. */
export function Figures({ figures }: FiguresProps) {
  return (
    <dl class="figures">
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

/** Lines of output, whose tones are classes. */
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
  /** What could not be loaded, for the label of the button. */
  readonly name: string;
}

/** Why a feed failed, with the next steps, in the place of what did not come or above what stays; nothing if it did not. */
export function Failure({ feed: { failure, refresh }, name }: FailureProps) {
  if (!failure) return null;
  const unreachable = failure.isUnreachable ? "Can't reach the service." : undefined;
  const heading = isOffline.value ? 'You are offline.' : unreachable;
  return (
    <div class="failure" role="alert">
      <div class="reason">
        {heading && <strong>{heading}</strong>}
        <Lines lines={failure.lines} />
      </div>
      <div class="steps">
        {failure.reason === 'unauthorized' && (
          <button type="button" class="primary" onClick={setTo(isSettingsOpen, true)}>
            Open settings
          </button>
        )}
        <button type="button" aria-label={`Retry: ${name}`} onClick={refresh}>
          Retry
        </button>
      </div>
    </div>
  );
}
