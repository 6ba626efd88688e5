/** The colours of the page that a chart is painted with; a canvas knows no style sheet. */
export interface Theme {
  readonly surface: string;
  readonly title: string;
  readonly text: string;
  readonly grid: string;
  readonly up: string;
  readonly down: string;
  readonly line: string;
  readonly average: string;
  readonly volumeUp: string;
  readonly volumeDown: string;
  /** Behind the light text of the crosshair's labels. */
  readonly label: string;
  /** Of the coins of a comparison, in their order. */
  readonly compared: readonly string[];
}

/** The colours as the style sheet gives them at the moment. */
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
    average: colour('--series-2'),
    volumeUp: colour('--volume-up'),
    volumeDown: colour('--volume-down'),
    label: colour('--label'),
    compared: [1, 2, 3, 4, 5].map((number) => colour(`--series-${number}`)),
  };
}
