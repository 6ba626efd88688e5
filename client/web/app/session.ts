/** What all parts of the page share: the service, the key, the currency, known prices, and what the page says of itself. */
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { lastSearchInMemory } from '../../commands/coins.ts';
import { type Conversion, DOLLAR, sessionRates } from '../../commands/currency.ts';
import { explain } from '../../commands/failure.ts';
import { provenanceOf } from '../../commands/provenance.ts';
import type { FailureResult } from '../../commands/result.ts';
import { conversionInto, type RunContext } from '../../commands/run.ts';
import { type KnownTicker, sessionTickers } from '../../commands/tickers.ts';
import { createClient, type DatedAnswer } from '../../sdk/index.ts';
import { type Loaded, refreshAll, useFeed } from './feed.ts';
import { storedSignal, textOf } from './stored.ts';

/** In session storage, which ends with the tab: the next user of a shared computer does not find the key. */
export const apiKey = storedSignal(
  () => sessionStorage,
  'marketdata.apiKey',
  (value) => textOf(value) ?? '',
);
export const currency = storedSignal(
  () => localStorage,
  'marketdata.currency',
  (value) => (typeof value === 'string' && /^[A-Z]{3}$/.test(value) ? value : DOLLAR),
);
export const theme = storedSignal(
  () => localStorage,
  'marketdata.theme',
  (value) => (value === 'light' || value === 'dark' ? value : 'system'),
);

/** Caches in front of the service have answers; the browser's own would only give the same one again. */
export const { marketdata: api } = createClient({
  baseUrl: '',
  apiKey: () => apiKey.peek() || undefined,
  fetch: (input, init) => fetch(input, { ...init, cache: 'no-store' }),
});

export const isOffline = signal(navigator.onLine === false);
const tickers = sessionTickers(Date.now);
/** Changes with every ticker, so that what reads it is drawn again. */
const tickerChanges = signal(0);
tickers.onChange(() => {
  tickerChanges.value += 1;
});

/** What commands run with. */
export const context: RunContext = {
  api,
  rates: sessionRates(api, Date.now),
  tickers,
  lastSearch: lastSearchInMemory(),
  usualConversion: async () => {
    await refreshRate();
    return conversion.peek();
  },
  keySetting: 'the settings',
  hasKey: () => apiKey.peek() !== '',
  isOffline: () => isOffline.peek(),
  now: Date.now,
};

/** The newest known ticker of a coin, whoever fetched it. */
export function knownTicker(id: string): KnownTicker | undefined {
  void tickerChanges.value;
  return tickers.known(id);
}

/** Keeps the tickers of these coins fresh while the component is on the screen. */
export function useTickers(ids: readonly string[]) {
  const some = ids.slice(0, 100);
  return useFeed(some.join(), () =>
    loading('Prices', async () => {
      const found = some.length === 0 ? [] : await tickers.askAll(api, some);
      const known = found.flatMap((item) => ('error' in item ? [] : [item]));
      return { value: found, provenance: provenanceOfAll(known) };
    }),
  );
}

/** Runs a request for a feed; a failure is explained, `subject` in front. */
export async function loading<T>(
  subject: string,
  load: () => Promise<Loaded<T>>,
): Promise<Loaded<T> | FailureResult> {
  try {
    return await load();
  } catch (error) {
    return explain(error, `${subject} could not be loaded`, context);
  }
}

/** An answer of the service as a feed keeps it. */
export function loadedOf<T>(answer: DatedAnswer<T>): Loaded<T> {
  return { value: answer.data, provenance: provenanceOf(answer, Date.now()) };
}

function provenanceOfAll(all: readonly KnownTicker[]) {
  const [first] = all;
  return (
    first &&
    all
      .map(({ provenance }) => provenance)
      .reduce((one, other) => (one.freshUntil < other.freshUntil ? one : other))
  );
}

const rate = signal<{ readonly code: string; readonly answer: Conversion | FailureResult | undefined }>();

/** From US dollars to the currency of the page; undefined: it shows dollars. */
export const conversion: ReadonlySignal<Conversion | undefined> = computed(() => {
  const { code, answer } = rate.value ?? {};
  return answer && !('kind' in answer) && code === currency.value ? answer : undefined;
});
/** Why the prices are in dollars though another currency was chosen. */
export const rateFailure = computed(() => {
  const { code, answer } = rate.value ?? {};
  return answer && 'kind' in answer && code === currency.value ? answer : undefined;
});

/** Sees to it that the rate is no older than it may be. The last rate, whose day is shown, is better than none. */
async function refreshRate(): Promise<void> {
  const code = currency.peek();
  const answer = await conversionInto(code, context);
  const isWorse = answer && 'kind' in answer && conversion.peek()?.currency === code;
  if (code === currency.peek() && !isWorse) rate.value = { code, answer };
}

/** What a screen reader says next, and what a note at the edge of the screen says for a while. */
export const announcement = signal('');
export const toast = signal<{ readonly text: string; readonly undo?: () => void }>();

export function announce(text: string): void {
  announcement.value = text;
}

export function notify(text: string, undo?: () => void): void {
  toast.value = undo ? { text, undo } : { text };
}

export const isSettingsOpen = signal(false);
const darkQuery = matchMedia('(prefers-color-scheme: dark)');
const systemTheme = signal<'dark' | 'light'>(darkQuery.matches ? 'dark' : 'light');
/** In effect now. */
export const shownTheme = computed(() => (theme.value === 'system' ? systemTheme.value : theme.value));

darkQuery.addEventListener('change', () => {
  systemTheme.value = darkQuery.matches ? 'dark' : 'light';
});
effect(() => {
  document.documentElement.dataset.theme = shownTheme.value;
});
effect(() => {
  void currency.value;
  void refreshRate();
});
setInterval(() => void refreshRate(), 3_600_000);
let lastKey = apiKey.peek();
effect(() => {
  if (apiKey.value === lastKey) return;
  lastKey = apiKey.value;
  refreshAll();
  void refreshRate();
});
for (const name of ['online', 'offline']) {
  window.addEventListener(name, () => {
    isOffline.value = navigator.onLine === false;
    if (name === 'online') void refreshRate();
  });
}
