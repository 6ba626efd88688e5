interface Crosshair {
  readonly count: () => number;
  /** Moves it to a candle, or hides it. */
  show(index: number | undefined): void;
}

/** Arrow keys, Home and End move the crosshair of a focused chart; Escape and leaving hide it. */
export function setUpCrosshairKeys(container: HTMLElement, { count, show }: Crosshair): void {
  let index: number | undefined;
  const move = (to: number | undefined) => {
    index = to;
    show(to);
  };
  container.addEventListener('keydown', (event) => {
    const last = count() - 1;
    if (last < 0) return;
    if (event.key === 'Escape') {
      if (index === undefined) return; // for whoever is around the chart
      event.stopPropagation();
      return move(undefined);
    }
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: Math.max(0, (index ?? last + 1) - 1),
      ArrowRight: Math.min(last, (index ?? last) + 1),
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    move(target);
  });
  container.addEventListener('blur', () => {
    if (index !== undefined) move(undefined);
  });
}
