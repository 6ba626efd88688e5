import { computed, signal } from '@preact/signals';

export type View =
  | { readonly name: 'market' | 'watchlist' | 'portfolio' | 'missing' }
  /** The charts of an address, such as `#BTC,ETH:line`. */
  | { readonly name: 'charts'; readonly hash: string }
  | { readonly name: 'coin'; readonly id: string };

export const paths = {
  market: '/',
  watchlist: '/#/watchlist',
  portfolio: '/#/portfolio',
  charts: '/#/charts',
};

const address = signal(location.href);

/** The view that an address stands for. */
export const view = computed(() => viewOf(new URL(address.value)));

export function coinPath(id: string): string {
  return `/coins/${encodeURIComponent(id.toWellFormed())}`;
}

/** Navigates to an address of the page, as a link does; with `isRefinement` the back button skips it. */
export function go(url: string, isRefinement = false): void {
  const before = view.peek().name;
  history[isRefinement ? 'replaceState' : 'pushState'](null, '', url);
  address.value = location.href;
  if (view.peek().name !== before || view.peek().name === 'coin') scrollTo(0, 0);
}

function viewOf({ pathname, hash }: URL): View {
  const [, encoded] = /^\/coins\/([^/]+)\/?$/.exec(pathname) ?? [];
  try {
    if (encoded !== undefined) return { name: 'coin', id: decodeURIComponent(encoded) };
  } catch {} // not valid percent-encoding
  if (pathname !== '/' && pathname !== '/index.html') return { name: 'missing' };
  if (hash === '#/watchlist' || hash === '#/portfolio')
    return { name: hash === '#/watchlist' ? 'watchlist' : 'portfolio' };
  if (hash === '#/charts') return { name: 'charts', hash: '' };
  return hash.length > 1 ? { name: 'charts', hash } : { name: 'market' };
}

for (const event of ['popstate', 'hashchange'])
  window.addEventListener(event, () => {
    address.value = location.href;
  });

// Links within the page change the view without a reload; new tabs and downloads are left to the browser.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || link.target !== '' || link.hasAttribute('download'))
    return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || viewOf(url).name === 'missing') return;
  event.preventDefault();
  go(url.pathname + url.search + url.hash);
});
