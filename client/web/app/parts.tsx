/** Small parts that every view is made of. */
import type { ComponentChildren } from 'preact';
import { converted } from '../../commands/currency.ts';
import { formatAmount, formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import { toneOf } from '../../commands/format/price.ts';
import { clean, type Line } from '../../commands/format/text.ts';
import { formatInstant, formatWait } from '../../commands/format/time.ts';
import type { Provenance } from '../../commands/provenance.ts';
import type { FailureResult } from '../../commands/result.ts';
import { clock, isOld } from './feed.ts';
import { coinPath } from './router.ts';
import { conversion, isOffline, isSettingsOpen } from './session.ts';

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
  onClick,
}: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon ${own}`}
      aria-label={label}
      title={title}
      aria-pressed={pressed}
      onClick={onClick}
    >
      <Glyph name={glyph} />
    </button>
  );
}

export interface NamedCoin {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
}

const LETTERS = 2;
/** 2^32 divided by the golden ratio: spreads neighbouring hashes over the circle (Knuth, 6.4). */
const SPREAD = 2_654_435_769;

/** A round mark with the first letters of a coin's symbol, in a colour of its own. Decoration: the name stands beside it. */
export function Monogram({ id, symbol }: Pick<NamedCoin, 'id' | 'symbol'>) {
  const letters = [...symbol.replace(/[^\p{L}\p{N}]/gu, '')].slice(0, LETTERS).join('').toUpperCase();
  return (
    <span class="monogram" aria-hidden="true" style={{ '--hue': String(hueOf(id)) }}>
      {letters || '?'}
    </span>
  );
}

/** The angle of a colour, from 0 to 359, by the id of a coin; its lightness and contrast are the style sheet's. */
export function hueOf(id: string): number {
  let hash = 0;
  for (const character of id) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return Math.floor(((Math.imul(hash, SPREAD) >>> 0) / 2 ** 32) * 360);
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

interface LinesProps {
  readonly lines: readonly Line[];
  readonly runCommand: (command: string) => void;
}

/** Lines of output: tones become classes, commands become buttons that run them. */
export function Lines({ lines, runCommand }: LinesProps) {
  return lines.map((line) => (
    <div class="line">
      {line.map(({ text, tone, command }) =>
        command === undefined ? (
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
  readonly failure: FailureResult;
  /** What could not be loaded, for the labels of the buttons. */
  readonly name: string;
  readonly onRetry: () => void;
  readonly children?: ComponentChildren;
}

/** A failure with its next steps, in the place of what did not come or above what stays. */
export function Failure({ failure, name, onRetry, children }: FailureProps) {
  const { lines, reason, isUnreachable } = failure;
  const heading = isOffline.value
    ? 'You are offline.'
    : isUnreachable
      ? "Can't reach the service."
      : undefined;
  return (
    <div class="failure" role="alert">
      <div class="reason">
        {heading && <strong>{heading}</strong>}
        {lines.map((line) => (
          <div class="line">
            {line.map(({ text, tone }) => (
              <span class={tone}>{text}</span>
            ))}
          </div>
        ))}
      </div>
      <div class="steps">
        {reason === 'unauthorized' && (
          <button
            type="button"
            class="primary"
            onClick={() => {
              isSettingsOpen.value = true;
            }}
          >
            Open settings
          </button>
        )}
        <button type="button" aria-label={`Retry: ${name}`} onClick={onRetry}>
          Retry
        </button>
        {children}
      </div>
    </div>
  );
}
