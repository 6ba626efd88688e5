/** State shared by all parts of the page: the service, the key, the currency, known prices, and announcements. */
import { computed, effect, type Signal, signal } from '@preact/signals';
import { lastSearchInMemory } from '../../commands/coins.ts';
import { type Conversion, DOLLAR, sessionRates } from '../../commands/currency.ts';
import type { FailureResult } from '../../commands/result.ts';
import { conversionInto, type RunContext } from '../../commands/run.ts';
import { type RatedTicker, sessionTickers } from '../../commands/tickers.ts';
import { createClient } from '../../sdk/index.ts';
import { isText, storedSignal } from './stored.ts';

/** The key is in session storage, which ends with the tab: the next user of a shared computer does not find it. */
export const apiKey = storedSignal('apiKey', (value) => (isText(value) ? value : ''), 'sessionStorage');
export const currency = storedSignal('currency', (value) =>
  isText(value) && /^[A-Z]{3}$/.test(value) ? value : DOLLAR,
);
export const theme = storedSignal('theme', (value) =>
  value === 'light' || value === 'dark' ? value : 'system',
);
export const isOffline = signal(navigator.onLine === false);

/** The next announcement for screen readers, and a temporary note at the edge of the screen. */
export const announcement = signal('');
export const toast = signal<{ readonly text: string; readonly undo?: (() => void) | undefined }>();

export function announce(text: string): void {
  announcement.value = text;
}

/** How long a notice stays: enough to read it and press its button. */
const TOAST_MS = 8000;
let toastTimer: ReturnType<typeof setTimeout> | undefined;

export function notify(text: string, undo?: () => void): void {
  toast.value = { text, undo };
  clearTimeout(toastTimer);
  toastTimer = setTimeout(setTo(toast, undefined), TOAST_MS);
}

/** An `onClick` handler with no other effect. */
export function setTo<T>(target: Signal<T>, value: T): () => void {
  return () => {
    target.value = value;
  };
}

/** Caches in front of the service hold responses; the browser's own would only return the same one again. */
export const { marketdata: api } = createClient({
  baseUrl: '',
  apiKey: () => apiKey.peek() || undefined,
  fetch: (input, init) => fetch(input, { ...init, cache: 'no-store' }),
});

const tickers = sessionTickers(Date.now);
/** Changes with every ticker, so that its readers are redrawn. */
const tickerChanges = signal(0);
tickers.onChange(() => {
  tickerChanges.value += 1;
});

/** The newest known ticker of a coin, from any request. */
export function knownTicker(id: string): RatedTicker | undefined {
  void tickerChanges.value;
  return tickers.known(id);
}

/** The context of commands. */
export const context: RunContext = {
  api,
  rates: sessionRates(api, Date.now),
  tickers,
  lastSearch: lastSearchInMemory(),
  usualConversion: currentConversion,
  keySetting: 'the settings',
  hasKey: () => apiKey.peek() !== '',
  isOffline: () => isOffline.peek(),
  now: Date.now,
};

const rate = signal<{ readonly code: string; readonly answer: Conversion | FailureResult | undefined }>();
const currentRate = computed(() => (rate.value?.code === currency.value ? rate.value.answer : undefined));
/** The conversion from US dollars to the page's currency; undefined: prices are shown in dollars. */
export const conversion = computed(() =>
  currentRate.value && !('kind' in currentRate.value) ? currentRate.value : undefined,
);
/** Why prices are in dollars although another currency is chosen; undefined if they are not, or until that is known. */
export const rateFailure = computed(() =>
  currentRate.value && 'kind' in currentRate.value ? currentRate.value : undefined,
);
/** The code of the currency in which prices are shown as soon as its rate is known. */
export const shownCurrency = computed(() => (rateFailure.value ? DOLLAR : currency.value));

/** The conversion to the page's currency; undefined: there is none, or no rate. */
export async function currentConversion(): Promise<Conversion | undefined> {
  await refreshRate();
  return conversion.peek();
}

/** Refreshes an expired rate. The last rate, whose day is shown, is better than none. */
async function refreshRate(): Promise<void> {
  const code = currency.peek();
  const answer = await conversionInto(code, context);
  const isWorse = answer && 'kind' in answer && conversion.peek()?.currency === code;
  if (code === currency.peek() && !isWorse) rate.value = { code, answer };
}

function refreshShownRate(): void {
  if (!document.hidden) void refreshRate();
}

/** Calls `run` whenever the key changes. */
export function onNewKey(run: () => void): void {
  let last = apiKey.peek();
  apiKey.subscribe((key) => {
    if (key === last) return;
    last = key;
    run();
  });
}

currency.subscribe(() => void refreshRate());
onNewKey(() => void refreshRate());
setInterval(refreshShownRate, 3_600_000);
document.addEventListener('visibilitychange', refreshShownRate);
for (const name of ['online', 'offline'])
  window.addEventListener(name, () => {
    isOffline.value = navigator.onLine === false;
    if (name === 'online') void refreshRate();
  });

const darkQuery = matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(darkQuery.matches);
darkQuery.addEventListener('change', ({ matches }) => {
  isSystemDark.value = matches;
});
/** The theme that is currently in effect. */
export const shownTheme = computed(() => {
  if (theme.value !== 'system') return theme.value;
  return isSystemDark.value ? 'dark' : 'light';
});
effect(() => {
  document.documentElement.dataset.theme = shownTheme.value;
});

/** A colour of the style sheet, for painting in a canvas. */
export function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
