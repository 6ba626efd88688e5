import { computed, signal } from '@preact/signals';

export type View =
  | { readonly name: 'market' | 'watchlist' | 'portfolio' | 'missing' }
  /** The charts of an address, such as `#BTC,ETH:line`. */
  | { readonly name: 'charts'; readonly hash: string }
  | { readonly name: 'coin'; readonly id: string };

interface Place {
  readonly path: string;
  readonly hash: string;
}

const place = signal<Place>(placeNow());

/** What the address asks for. */
export const view = computed(() => viewOf(place.value));

export const paths = {
  market: '/',
  watchlist: '/#/watchlist',
  portfolio: '/#/portfolio',
  charts: '/#/charts',
};

export function coinPath(id: string): string {
  return `/coins/${encodeURIComponent(id.toWellFormed())}`;
}

/** Goes to an address of the page, as a link does; with `isRefinement` the back button skips it. */
export function go(url: string, isRefinement = false): void {
  const before = view.peek().name;
  history[isRefinement ? 'replaceState' : 'pushState'](null, '', url);
  place.value = placeNow();
  if (view.peek().name !== before || view.peek().name === 'coin') scrollTo(0, 0);
}

export function viewOf({ path, hash }: Place): View {
  const [, encoded] = /^\/coins\/([^/]+)\/?$/.exec(path) ?? [];
  if (encoded !== undefined) {
    const id = decoded(encoded);
    return id === undefined ? { name: 'missing' } : { name: 'coin', id };
  }
  if (path !== '/' && path !== '/index.html') return { name: 'missing' };
  if (hash === '#/watchlist') return { name: 'watchlist' };
  if (hash === '#/portfolio') return { name: 'portfolio' };
  if (hash === '#/charts') return { name: 'charts', hash: '' };
  return hash.length > 1 ? { name: 'charts', hash } : { name: 'market' };
}

function placeNow(): Place {
  return { path: location.pathname, hash: location.hash };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function follow(): void {
  const { path, hash } = placeNow();
  if (path !== place.peek().path || hash !== place.peek().hash) place.value = { path, hash };
}

window.addEventListener('popstate', follow);
window.addEventListener('hashchange', follow);
// Links of the page itself change what is shown without loading it again; a new tab and a download stay the browser's.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || link.target !== '' || link.hasAttribute('download')) return;
  const { origin, pathname, search, hash } = new URL(link.href);
  const isOfPage = viewOf({ path: pathname, hash }).name !== 'missing';
  if (event.defaultPrevented || origin !== location.origin || !isOfPage) return;
  event.preventDefault();
  go(pathname + search + hash);
});
