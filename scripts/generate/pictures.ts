/**
 * Writes docs/screenshot.png, the first screen in light, docs/screenshot-coin.png, a coin's page in dark, and
 * docs/terminal.svg, a price and a chart in a terminal: of the service that is built, on simulated data, as each says.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { chromium } from 'playwright-core';
import { builtPage } from '../../local/page.ts';
import { synthesize } from '../../local/prepare.ts';
import { startLocalService } from '../../local/service.ts';
import { startBrowserServer } from '../../test/browser/headless.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'docs');
/** Of the terminal's picture, in pixels. */
const CELL = { width: 8.4, height: 18, font: 14, pad: 16, bar: 32 };
const BACKGROUND = '#14181f';
const FOREGROUND = '#d7dce4';
/** The colours of a terminal by number, from black to bright white. */
const PALETTE =
  '#3b4252 #e5484d #3fb950 #d9a31b #539bf5 #b083f0 #39c5cf #d7dce4 #8b949e #ff7b72 #56d364 #e3b341 #6cb6ff #dcbdfb #56d4dd #ffffff';
const PROMPT = '\u001b[90m$\u001b[0m ';

const assembly = await mkdtemp(join(tmpdir(), 'marketdata-screenshot-'));
await synthesize('dev', assembly);
const service = await startLocalService({
  assembly,
  provider: { mode: 'simulated' },
  store: { history: true },
  page: builtPage,
  execArgv: process.execArgv,
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
  await write('screenshot.png');

  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('a[href="/coins/btc-bitcoin"]').first().click();
  await page.locator('.chart[aria-busy=false] canvas').first().waitFor();
  await page.locator('.badge').getByText('exchanges agree').waitFor();
  await page.waitForTimeout(500); // the chart's own first frames
  await write('screenshot-coin.png');

  const lines = [
    ['cprice', 'BTC'],
    ['cchart', 'BTC', '--range', '3m'],
  ] as const;
  const path = join(folder, 'terminal.svg');
  await writeFile(path, await terminalPicture(lines, 96, { MARKETDATA_URL: service.url }));
  console.log(`Written ${path}`);

  async function write(name: string): Promise<void> {
    const path = join(folder, name);
    await page.screenshot({ path });
    console.log(`Written ${path}`);
  }
} finally {
  await browser.close();
  await server.close();
  await service.close();
  await rm(assembly, { recursive: true });
}

/** The command lines and what they print in a terminal with so many columns, as SVG: the same in every font, at every size. */
async function terminalPicture(
  lines: readonly (readonly [program: string, ...args: string[]])[],
  columns: number,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 200, allowProposedApi: true });
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve));
  for (const line of lines) {
    await write(`${PROMPT}\u001b[1m${line.join(' ')}\u001b[0m\r\n`);
    await write(`${await outputOf(line, columns, environment)}\r\n`);
  }
  const buffer = terminal.buffer.active;
  const rows = Array.from({ length: buffer.cursorY - 1 }, (_, row) => drawnRow(buffer.getLine(row), row));
  terminal.dispose();
  const width = rounded(columns * CELL.width + 2 * CELL.pad);
  const height = rows.length * CELL.height + 2 * CELL.pad + CELL.bar;
  const lights = [0, 1, 2].map((index) => `<circle cx="${20 + index * 20}" cy="20" r="6" fill="#3d4450"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.font}" xml:space="preserve">
<title>${escaped(lines.map((line) => line.join(' ')).join(', '))} in a terminal</title>
<rect width="${width}" height="${height}" rx="10" fill="${BACKGROUND}"/>${lights.join('')}
<g transform="translate(${CELL.pad} ${CELL.pad + CELL.bar})" fill="${FOREGROUND}">
${rows.filter((row) => row !== '').join('\n')}
</g>
</svg>
`;
}

/** Runs a program of this repository in a terminal with 24 rows. */
function outputOf(
  [program, ...args]: readonly [string, ...string[]],
  columns: number,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const pty = spawn(process.execPath, [join(root, `client/cli/bin/${program}.mjs`), ...args], {
    name: 'xterm-256color',
    cols: columns,
    rows: 24,
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root, LANG: 'C.UTF-8', COLORTERM: 'truecolor', ...environment },
  });
  let output = '';
  pty.onData((data) => {
    output += data;
  });
  return new Promise((resolve, reject) => {
    pty.onExit(({ exitCode }) =>
      exitCode === 0 ? resolve(output) : reject(new Error(`${program} ended with ${exitCode}:\n${output}`)),
    );
  });
}

type BufferLine = NonNullable<ReturnType<InstanceType<typeof xterm.Terminal>['buffer']['active']['getLine']>>;
type Cell = NonNullable<ReturnType<BufferLine['getCell']>>;

/** Runs of cells that look alike are one text, as wide as its cells; blocks are drawn, because fonts leave gaps between them. */
function drawnRow(line: BufferLine | undefined, row: number): string {
  const parts: { text: string; look: string; column: number; width: number }[] = [];
  const blocks: string[] = [];
  for (let column = 0; column < (line?.length ?? 0); column += 1) {
    const cell = line?.getCell(column);
    const text = cell?.getChars() ?? '';
    if (!cell || text === '' || text === ' ') continue;
    const block = blockOf(text, column, row);
    const look = lookOf(cell);
    const last = parts.at(-1);
    if (block) blocks.push(`<path ${look} d="${block}"/>`);
    else if (last && last.look === look && last.column + last.width === column) {
      last.text += text;
      last.width += cell.getWidth();
    } else parts.push({ text, look, column, width: cell.getWidth() });
  }
  const y = row * CELL.height + CELL.font;
  const texts = parts.map(
    ({ text, look, column, width }) =>
      `<text x="${rounded(column * CELL.width)}" y="${y}" textLength="${rounded(width * CELL.width)}" ${look}>${escaped(text)}</text>`,
  );
  return [...texts, ...blocks].join('');
}

/** The path of a block element: a whole cell, one of its halves, or so many eighths from below. */
function blockOf(text: string, column: number, row: number): string | undefined {
  const eighths = '▁▂▃▄▅▆▇█'.indexOf(text) + 1;
  const [from, to] = text === '▀' ? [0, 0.5] : [1 - eighths / 8, 1];
  if (eighths === 0 && text !== '▀') return undefined;
  const [x, y] = [rounded(column * CELL.width), rounded((row + from) * CELL.height)];
  return `M${x} ${y}h${CELL.width}v${rounded((to - from) * CELL.height)}h-${CELL.width}z`;
}

function lookOf(cell: Cell): string {
  const colour = cell.isFgRGB()
    ? `fill="#${cell.getFgColor().toString(16).padStart(6, '0')}"`
    : cell.isFgPalette()
      ? `fill="${PALETTE.split(' ')[cell.getFgColor()] ?? FOREGROUND}"`
      : '';
  const weight = cell.isBold() ? ' font-weight="bold"' : '';
  return `${colour}${weight}${cell.isDim() ? ' opacity="0.6"' : ''}`.trim();
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
