import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

/** Line paths in a view box of 20 by 20. */
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

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'label'> {
  readonly label: string;
}

export function Button({ label, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest}>
      {label}
    </button>
  );
}

interface IconButtonProps {
  readonly glyph: GlyphName;
  readonly label: string;
  /** Shown on hover; the label by default. */
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
  /** Omitted if the button's content says it. */
  readonly label?: string;
  readonly class: string;
  readonly button: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A button that opens rarely needed content, until Escape is pressed or the focus leaves it. */
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
