/** A headless browser from npm. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as playwright } from 'playwright-core';

export interface BrowserServer {
  /** A WebSocket's address. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Starts a browser; it unpacks itself into a folder of its own, which goes away with it. */
export async function startBrowserServer(): Promise<BrowserServer> {
  const temporary = mkdtempSync(join(tmpdir(), 'marketdata-browser-'));
  const before = { TMPDIR: process.env.TMPDIR, AWS_EXECUTION_ENV: process.env.AWS_EXECUTION_ENV };
  process.env.TMPDIR = temporary;
  // The package brings its own libnss3 where it believes to be on Lambda.
  process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs24.x';
  const { default: chromium } = await import('@sparticuz/chromium');
  const executablePath = await chromium.executablePath();
  restore(before);
  // Its list of font folders knows only /tmp/fonts, and a browser without a font crashes at the first odd character.
  const fonts = join(temporary, 'fonts');
  writeFileSync(
    join(fonts, 'fonts.conf'),
    `<fontconfig><dir>${fonts}</dir><dir>/usr/share/fonts</dir><cachedir>${temporary}/cache</cachedir></fontconfig>`,
  );
  const server = await playwright.launchServer({
    executablePath,
    headless: true,
    // Not the package's own arguments: they turn web security off, which these tests are about.
    args: ['--no-sandbox', '--headless=shell'],
    env: {
      ...definedOnly(process.env),
      TMPDIR: temporary,
      FONTCONFIG_PATH: fonts,
      // The package names its libraries' place when it is imported, which an earlier browser may have done.
      LD_LIBRARY_PATH: join(temporary, 'al2023/lib'),
    },
  });
  return {
    endpoint: server.wsEndpoint(),
    async close() {
      await server.close();
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

function restore(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

function definedOnly(variables: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
