/**
 * Keeps `--keyboard`, the height of a keyboard on the screen, for what is docked at the bottom. Browsers that make the
 * page smaller for it (`interactive-widget`) leave it at 0; Safari lays the keyboard over the page.
 */
export function setUpKeyboardInset(): void {
  const { visualViewport: seen } = window;
  if (!seen) return;
  const update = () => {
    // Zoomed in, the reader looks at a part of the page, and nothing covers the rest.
    const covered = seen.scale > 1 ? 0 : Math.max(0, innerHeight - seen.height - seen.offsetTop);
    document.documentElement.style.setProperty('--keyboard', `${Math.round(covered)}px`);
  };
  seen.addEventListener('resize', update);
  seen.addEventListener('scroll', update);
}
