/** The colours of the page that a chart is painted with; a canvas knows no style sheet. */
export interface Theme {
  readonly surface: string;
  readonly title: string;
  readonly text: string;
  readonly grid: string;
  readonly up: string;
  readonly down: string;
  readonly line: string;
  readonly volumeUp: string;
  readonly volumeDown: string;
  /** Of the coins of a comparison, in their order. */
  readonly compared: readonly string[];
}

/** The colours as the style sheet gives them for the system's preference at the moment. */
export function currentTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    surface: colour('--surface'),
    title: colour('--text'),
    text: colour('--muted'),
    grid: colour('--grid'),
    up: colour('--up'),
    down: colour('--down'),
    line: colour('--line'),
    volumeUp: colour('--volume-up'),
    volumeDown: colour('--volume-down'),
    compared: [1, 2, 3, 4, 5].map((number) => colour(`--series-${number}`)),
  };
}

/** Tells when the system switches between dark and light; returns how to stop. */
export function onThemeChange(changed: () => void): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)');
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}
