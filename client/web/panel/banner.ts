import type { FailureResult } from '../../commands/result.ts';
import { button, element, lineElements } from '../dom.ts';
import { icon } from './icons.ts';

export interface FailureOptions {
  readonly name: string;
  readonly runCommand: (command: string) => void;
  readonly onSettings: () => void;
}

export interface FailureView {
  readonly element: HTMLElement;
  show(failure: FailureResult, onRetry: () => void): void;
  hide(): void;
  /** Moves the focus to the button that tries again. */
  focus(): void;
}

/** A failure above a chart that stays, with the next steps; it can be dismissed. */
export function createBanner(options: FailureOptions, onDismiss: () => void): FailureView {
  const banner = element('div', { class: 'banner', role: 'alert', hidden: '' });
  return {
    element: banner,
    show(failure, onRetry) {
      const dismiss = button(
        '',
        () => {
          banner.hidden = true;
          onDismiss();
        },
        { class: 'icon', 'aria-label': `Dismiss the failure of ${options.name}`, title: 'Dismiss' },
      );
      dismiss.append(icon('remove'));
      banner.replaceChildren(...failureParts(failure, onRetry, options), dismiss);
      banner.hidden = false;
    },
    hide() {
      banner.hidden = true;
    },
    focus: () => focusRetry(banner),
  };
}

/** A failure in the place of a chart that never came. */
export function createFailurePlace(options: FailureOptions): FailureView {
  const place = element('div', { class: 'failure', role: 'alert', hidden: '' });
  return {
    element: place,
    show(failure, onRetry) {
      place.replaceChildren(...failureParts(failure, onRetry, options));
      place.hidden = false;
    },
    hide() {
      place.hidden = true;
    },
    focus: () => focusRetry(place),
  };
}

function focusRetry(view: HTMLElement): void {
  view.querySelector<HTMLElement>('.steps button:last-child')?.focus({ preventScroll: true });
}

function failureParts(
  { lines, reason, isUnreachable }: FailureResult,
  onRetry: () => void,
  { name, runCommand, onSettings }: FailureOptions,
): HTMLElement[] {
  const isOffline = isUnreachable && !navigator.onLine;
  const text = isOffline ? [element('div', { class: 'line' }, 'You are offline.')] : [];
  const settings = button('Open settings', onSettings, {
    class: 'primary',
    'aria-label': `Open settings for ${name}`,
  });
  const retry = button('Try again', onRetry, { 'aria-label': `Try again to load ${name}` });
  return [
    element('div', { class: 'reason' }, ...text, ...lineElements(lines, runCommand)),
    element('div', { class: 'steps' }, ...(reason === 'unauthorized' ? [settings] : []), retry),
  ];
}
