import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { brand } from '../../shared/http/page.ts';
import { currencies, currencyName, usualCurrencies } from '../commands/currency.ts';
import { plainText } from '../commands/format/text.ts';
import { formatInstant } from '../commands/format/time.ts';
import { conversionText } from '../commands/sources.ts';
import { Button, Glyph, IconButton } from './app/button.tsx';
import { clock, isOld, refreshAll, screenState } from './app/feed.ts';
import { paths, view } from './app/router.ts';
import {
  announcement,
  apiKey,
  conversion,
  currency,
  isOffline,
  rateFailure,
  setTo,
  shownTheme,
  theme,
  toast,
} from './app/session.ts';
import { openSettings, Settings } from './app/settings.tsx';
import { cards, chartsPath } from './chart/cards.ts';
import { Charts } from './chart/panel.tsx';
import { CoinPage, Missing } from './coin-page.tsx';
import { Market, Watchlist } from './market/market.tsx';
import { Portfolio } from './market/portfolio.tsx';
import { openPalette, Palette } from './palette/palette.tsx';
import { isTerminalOpen, Terminal } from './palette/terminal.tsx';

function App() {
  useEffect(() => {
    if (view.value.name !== 'coin') document.title = `${titles[view.value.name]} · ${brand.name}`;
  });
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        <Notice />
        <CurrentView />
      </main>
      <Footer />
      <Terminal />
      <Palette />
      <Settings />
      <Toast />
      <p class="visually-hidden" role="status">
        {announcement}
      </p>
    </>
  );
}

/** The titles of the views. */
const titles = {
  market: 'Market',
  watchlist: 'Watchlist',
  portfolio: 'Portfolio',
  charts: 'Charts',
  missing: 'Not found',
} as const;

function CurrentView() {
  const shown = view.value;
  if (shown.name === 'coin') return <CoinPage key={shown.id} id={shown.id} />;
  if (shown.name === 'missing') return <Missing what={`There is no page at ${location.pathname}.`} />;
  const Shown = { market: Market, watchlist: Watchlist, portfolio: Portfolio, charts: Charts }[shown.name];
  return <Shown />;
}

function Header() {
  const { provenance } = screenState();
  const otherTheme = shownTheme.value === 'dark' ? 'light' : 'dark';
  return (
    <header class="bar">
      <a class="brand" href={paths.market}>
        <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
          <path d="M6 22l6-8 5 5 9-11" />
        </svg>
        <span>{brand.name}</span>
      </a>
      {provenance?.isSimulated && (
        <p class="simulated" role="status">
          Simulated<span class="wide"> data, not real prices</span>
        </p>
      )}
      <nav class="views" aria-label="Views">
        {(['market', 'watchlist', 'portfolio', 'charts'] as const).map((name) => (
          <a
            href={name === 'charts' ? chartsPath.value : paths[name]}
            aria-current={view.value.name === name ? 'page' : undefined}
          >
            {titles[name]}
            {name === 'charts' && cards.value.length > 0 && <span class="count"> {cards.value.length}</span>}
          </a>
        ))}
      </nav>
      <div class="bar-actions">
        <button
          type="button"
          class="open-search"
          aria-label="Search coins or type a command"
          aria-haspopup="dialog"
          aria-keyshortcuts="/ Control+K Meta+K"
          onClick={openPalette}
        >
          <Glyph name="search" />
          <span class="label">Search coins or type a command</span>
          <kbd>/</kbd>
        </button>
        <CurrencySelect />
        <IconButton
          glyph="theme"
          label={`Theme: ${theme.value}`}
          onClick={setTo(theme, theme.value === 'system' ? otherTheme : 'system')}
        />
        <IconButton
          class="open-terminal"
          glyph="terminal"
          label="Terminal"
          title="Terminal (`)"
          pressed={isTerminalOpen.value}
          onClick={setTo(isTerminalOpen, !isTerminalOpen.value)}
        />
        <IconButton glyph="settings" label="Settings" onClick={openSettings} />
      </div>
    </header>
  );
}

const others = currencies.filter((code) => !usualCurrencies.includes(code));

/** Typing a code finds its currency, as in every list of a browser. */
function CurrencySelect() {
  return (
    <span class="currency">
      <select
        aria-label="Currency"
        value={currency.value}
        onChange={(event) => {
          currency.value = event.currentTarget.value;
        }}
      >
        {currencyOptions}
        {!currencies.includes(currency.value.toLowerCase()) && optionOf(currency.value)}
      </select>
    </span>
  );
}

function optionOf(currencyCode: string) {
  const code = currencyCode.toUpperCase();
  return (
    <option key={code} value={code}>
      {code} {currencyName(code)}
    </option>
  );
}

/** Made once: the header is drawn again with every price. */
const currencyOptions = [
  ...usualCurrencies.map(optionOf),
  <optgroup key="others" label="All others">
    {others.map(optionOf)}
  </optgroup>,
];

/** One banner for all problems with the data on the page. */
function Notice() {
  const notice = noticeNow();
  if (!notice) return null;
  const [text, label, act] = notice;
  return (
    <div class="notice" role="status">
      <p>{text}</p>
      {label && <Button class="primary" label={label} onClick={act} />}
    </div>
  );
}

/** The problem, and an action that may solve it. */
function noticeNow(): readonly [text: string, label?: string, act?: () => void] | undefined {
  const { failures, provenance } = screenState();
  const madeAt = provenance?.madeAt;
  const shown = madeAt === undefined ? '' : ` Prices are as of ${formatInstant(madeAt, clock.value)}.`;
  const retry = () => refreshAll(true);
  if (isOffline.value) return [`You are offline.${shown || ' There are no prices to show.'}`];
  if (failures.some(({ reason }) => reason === 'unauthorized')) {
    const text = apiKey.value
      ? 'This service does not accept the API key in the settings.'
      : 'This service needs an API key.';
    return [text, 'Open settings', openSettings];
  }
  if (failures.some(({ isUnreachable }) => isUnreachable))
    return [`Can't reach the service.${shown}`, 'Retry', retry];
  const limited = failures.find(({ reason }) => reason === 'rate-limited');
  if (limited) return [`${plainText(limited.lines).replaceAll('\n', '. ')}${shown}`];
  if (isOld(provenance))
    return [`Some prices are out of date: their source does not respond.${shown}`, 'Retry', retry];
  if (rateFailure.value)
    return [
      `${plainText(rateFailure.value.lines.slice(0, 1)).replace(/\.?$/, '.')} Prices are in US dollars.`,
    ];
  return undefined;
}

function Footer() {
  const { provenance } = screenState();
  return (
    <footer>
      {conversion.value && (
        <p>
          Prices {conversionText(conversion.value, clock.value)}; changes are those in USD. Charts and their
          changes are at the rates of their times.
        </p>
      )}
      <p>
        {provenance?.isSimulated && 'Simulated data, not real prices. '}
        <a href="/docs">API reference</a> · <a href="/openapi.json">openapi.json</a> ·{' '}
        <a href="/licenses.md">Licences</a> · Charts by TradingView Lightweight Charts™, Copyright (c) 2026
        TradingView, Inc.{' '}
        <a href="https://www.tradingview.com/" rel="noopener">
          https://www.tradingview.com/
        </a>
      </p>
    </footer>
  );
}

function Toast() {
  const shown = toast.value;
  const takeBack = () => {
    toast.value = undefined;
    shown?.undo?.();
  };
  return (
    <div class="toast" role="status">
      {shown && (
        <div>
          <span>{shown.text}</span>
          {shown.undo && <Button label="Undo" onClick={takeBack} />}
        </div>
      )}
    </div>
  );
}

const root = document.getElementById('root');
root?.replaceChildren(); // the first screen, drawn without a script
if (root) render(<App />, root);
