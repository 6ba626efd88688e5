export type Theme = ReturnType<typeof currentTheme>;

/** The colours of the style sheet that a chart is painted with; a canvas knows none. */
export function currentTheme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    surface: colour('surface'),
    title: colour('text'),
    text: colour('muted'),
    grid: colour('grid'),
    up: colour('up'),
    down: colour('down'),
    line: colour('line'),
    average: colour('series-2'),
    volumeUp: colour('volume-up'),
    volumeDown: colour('volume-down'),
    /** Behind the light text of the crosshair's labels. */
    label: colour('label'),
    /** Of the coins of a comparison, in their order. */
    compared: [1, 2, 3, 4, 5].map((number) => colour(`series-${number}`)),
  };
}
