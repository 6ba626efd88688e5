import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

export interface OpenPage {
  readonly page: Page;
  /** Everything that went wrong in the page: errors, refusals of its policy, requests to other origins. */
  readonly problems: string[];
  readonly log: Locator;
  readonly cards: Locator;
  /** Types a command and waits for its output. */
  command(line: string): Promise<void>;
  /** Changes the address as a link within the page does, without a reload. */
  visit(path: string): Promise<void>;
  /** The findings of axe-core in the page, or in one part of it, with the elements. */
  violations(part?: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface PageOptions extends BrowserContextOptions {
  /** The path on the service; the first screen unless given. */
  readonly path?: string;
}

/** The rows of a list after the first three, which are alike: axe-core would check the colours of hundreds of cells. */
const REPEATED = '.coins tbody tr:nth-child(n + 4)';

/** Opens the page in a context of its own: no storage is shared between tests. */
export async function openPage(
  browser: Browser,
  url: string,
  { path = '/', ...options }: PageOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce', // frames of animations are most of a browser's work without a GPU
    ...options,
  });
  context.setDefaultTimeout(30_000); // before the test's own, so that the failure says what was waited for
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A refused or failed request of ours is logged by the browser as well; the tests check what the page says.
    const isPlain = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isPlain) problems.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) problems.push(`request to ${request.url()}`);
  });
  await page.goto(`${url}${path}`);

  const log = page.getByRole('log');
  return {
    page,
    problems,
    log,
    cards: page.locator('.cards').getByRole('article'),
    async command(line) {
      const input = page.getByLabel('Command', { exact: true });
      if (!(await input.isVisible())) await page.keyboard.press('`');
      await input.fill(line);
      await input.press('Enter');
      await log.getByText('Loading …').waitFor({ state: 'detached' });
    },
    async visit(to) {
      await page.evaluate((target) => {
        history.pushState(null, '', target);
        dispatchEvent(new PopStateEvent('popstate'));
      }, to);
    },
    async violations(part = 'body') {
      if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe.source);
      const context = JSON.stringify({ include: [part], exclude: [REPEATED] });
      // As text: the axe of the page is meant, not the one imported here. Its whole report would be megabytes.
      const run = `axe.run(${context}, { resultTypes: ['violations'], preload: false })`;
      const found = await page.evaluate<AxeResults['violations']>(
        `${run}.then((report) => report.violations)`,
      );
      return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    },
    async close() {
      // A route that is still at work when its page goes would fail the whole run.
      for (const each of context.pages()) await each.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    },
  };
}

/** Waits until a card, or a coin's page, shows its chart. */
export async function untilDrawn(place: Locator): Promise<void> {
  await place.locator('canvas').first().waitFor();
  await place.locator('.chart[aria-busy=false]').first().waitFor();
  await place.locator('.stage .skeleton').first().waitFor({ state: 'detached' });
}

/** The number of pixels of a chart's canvases that have a colour of the style sheet, such as `--up`. */
export async function countPixels(card: Locator, variable: string): Promise<number> {
  return await card.evaluate((element, name) => {
    const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const [red, green, blue] = [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
    let count = 0;
    for (const canvas of element.querySelectorAll('canvas')) {
      if (canvas.width === 0 || canvas.height === 0) continue;
      const data = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      for (let index = 0; index < data.length; index += 4) {
        const isColour = data[index] === red && data[index + 1] === green && data[index + 2] === blue;
        if (isColour && data[index + 3] === 255) count += 1;
      }
    }
    return count;
  }, variable);
}

/** How far the page scrolls to the side, and below its last element. */
export function scrollsOf(page: Page) {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight } = document.documentElement;
    const bottom = document.querySelector('footer')?.getBoundingClientRect().bottom ?? 0;
    const end = bottom + scrollY;
    return { sideways: scrollWidth - clientWidth, empty: Math.floor(scrollHeight - end) };
  });
}
