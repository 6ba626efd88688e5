/**
 * Writes docs/screenshot.png, the first screen in the light theme, docs/screenshot-coin.png, a coin's page in the dark
 * theme, and docs/terminal.svg, a price and a chart in a terminal. They show the built service with simulated data, and
 * say so.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { chromium } from 'playwright-core';
import { builtPage } from '../../http-api/page.ts';
import { prepareFor } from '../../local/prepare.ts';
import { startLocalService } from '../../local/service.ts';
import { startBrowserServer } from '../../test/browser/headless.ts';

const root = join(import.meta.dirname, '../..');
const COLUMNS = 96;
/** The terminal picture's dimensions, in pixels. */
const CELL = { width: 8.4, height: 18, font: 14, pad: 16 };

await prepareFor('simulated', {}, console.error);
const service = await startLocalService({
  provider: { mode: 'simulated' },
  store: { history: true },
  page: builtPage,
  quiet: true,
});
const server = await startBrowserServer();
const browser = await chromium.connect(server.endpoint);
try {
  const page = await browser.newPage({
    locale: 'en-US',
    viewport: { width: 1440, height: 1080 },
    colorScheme: 'light',
  });
  await page.clock.setFixedTime(Date.now());
  await page.goto(service.url);
  await page.locator('.sparkline path[d^="M"]').nth(19).waitFor({ state: 'attached' });
  await page.screenshot({ path: join(root, 'docs/screenshot.png') });

  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('a[href="/coins/btc-bitcoin"]').first().click();
  await page.locator('.chart[aria-busy=false] canvas').first().waitFor();
  await page.locator('.badge').getByText('exchanges agree').waitFor();
  await page.waitForTimeout(500); // the chart's own first frames
  await page.screenshot({ path: join(root, 'docs/screenshot-coin.png') });

  const printed = [await typed('cprice', 'BTC'), await typed('cchart', 'BTC', '--range', '3m')];
  await writeFile(join(root, 'docs/terminal.svg'), terminalPicture(printed.join('\n').trimEnd()));
} finally {
  await browser.close();
  await server.close();
  await service.close();
}

/** A command line, and its output in a terminal with 96 columns. */
async function typed(program: string, ...args: readonly string[]): Promise<string> {
  const command = [process.execPath, join(root, `client/cli/bin/${program}.mjs`), ...args];
  // The output on stderr erases itself.
  const pty = spawn('/bin/sh', ['-c', '"$@" 2>/dev/null', 'sh', ...command], {
    ...{ name: 'xterm-256color', cols: COLUMNS, rows: 24, cwd: root },
    env: {
      ...{ PATH: process.env.PATH, HOME: root, LANG: 'C.UTF-8', COLORTERM: 'truecolor' },
      MARKETDATA_URL: service.url,
    },
  });
  let output = '';
  pty.onData((data) => {
    output += data;
  });
  const code = await new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${output}`);
  return `$ \u001b[1m${[program, ...args].join(' ')}\u001b[22m\n${output.replaceAll('\r', '')}`;
}

/** Text with colours as SVG that looks the same in every font. */
function terminalPicture(text: string): string {
  const rows = text.split('\n').map(drawnRow);
  const width = rounded(COLUMNS * CELL.width + 2 * CELL.pad);
  const height = rows.length * CELL.height + 2 * CELL.pad;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.font}">
<title>The price of Bitcoin and a chart of it in a terminal</title>
<rect width="${width}" height="${height}" rx="10" fill="#14181f"/>
<g transform="translate(${CELL.pad} ${CELL.pad})" fill="#d7dce4">
${rows.filter(Boolean).join('\n')}
</g>
</svg>
`;
}

/** Words are as wide as their cells. Blocks are drawn, because fonts leave gaps between them. */
function drawnRow(line: string, row: number): string {
  let column = 0;
  const drawn: string[] = [];
  for (const [index, part] of line.split('\u001b[').entries()) {
    const end = index === 0 ? -1 : part.indexOf('m');
    const look = lookOf(part.slice(0, Math.max(0, end)));
    for (const [run] of part.slice(end + 1).matchAll(/[▀-█]| +|[^ ▀-█]+/g)) {
      const x = rounded(column * CELL.width);
      const y = row * CELL.height;
      column += run.length;
      if (/[▀-█]/.test(run)) drawn.push(`<path ${look} d="M${x} ${blockPath(run, y)}"/>`);
      else if (run.trim() !== '')
        drawn.push(
          `<text x="${x}" y="${y + CELL.font}" textLength="${rounded(run.length * CELL.width)}" ${look}>${escaped(run)}</text>`,
        );
    }
  }
  return drawn.join('');
}

/** A whole cell, its upper half, or a number of eighths from below. */
function blockPath(block: string, top: number): string {
  const eighths = '▁▂▃▄▅▆▇█'.indexOf(block) + 1;
  const [from, to] = block === '▀' ? [0, 0.5] : [1 - eighths / 8, 1];
  const height = rounded((to - from) * CELL.height);
  return `${rounded(top + from * CELL.height)}h${CELL.width}v${height}h-${CELL.width}z`;
}

/** The style that SGR parameters (ECMA-48) begin; those that end one are missing. The programs do not nest them. */
function lookOf(parameters: string): string {
  const [code = '', mode, ...colour] = parameters.split(';');
  if (code === '38' && mode === '2') return `fill="rgb(${colour.join()})"`;
  const looks: Readonly<Record<string, string>> = {
    1: 'font-weight="bold"',
    2: 'opacity="0.6"',
    31: 'fill="#e5484d"',
    32: 'fill="#3fb950"',
    36: 'fill="#39c5cf"',
  };
  return looks[code] ?? '';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
