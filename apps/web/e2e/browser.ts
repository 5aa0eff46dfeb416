import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

/** A page, and what it did that it should not have. */
export interface WatchedPage {
  readonly page: Page;
  /** Console errors, page errors, failed requests and requests to other hosts, as lines. */
  readonly faults: string[];
  close(): Promise<void>;
}

/** Launches Debian's Chromium, or the one that `CHROMIUM` names. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
    ],
  });
}

export async function watchPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const { host } = new URL(url);
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      faults.push(`console ${message.type()}: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`));
  page.on('request', (request) => {
    const target = new URL(request.url());
    if (target.protocol !== 'data:' && target.protocol !== 'blob:' && target.host !== host) {
      faults.push(`request to another host: ${request.url()}`);
    }
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`status ${response.status()}: ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // What a navigation overtakes is given up: prefetches, and the icon.
    if (reason === 'net::ERR_ABORTED' && /[?&]_rsc=|\/icon\.svg/.test(request.url())) return;
    faults.push(`failed request: ${request.url()} ${reason}`);
  });
  await page.goto(url);
  return { page, faults, close: () => context.close() };
}

/** All rules of axe that WCAG 2.2 AA and its best practices have, on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join('\n  ')}`),
  ).toEqual([]);
}

/** Keeps what the page looks like in `e2e/output`. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await shoot(page, `output/${name}.png`);
}

/** A picture of the documentation; written only if asked for, see `run.ts`. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await keepScreenshot(page, name);
  if (process.env.E2E_PICTURES) await shoot(page, `../../../docs/pictures/${name}.png`);
}

async function shoot(page: Page, path: string): Promise<void> {
  const file = fileURLToPath(new URL(path, import.meta.url));
  mkdirSync(fileURLToPath(new URL('.', new URL(path, import.meta.url))), { recursive: true });
  await page.screenshot({ path: file, animations: 'disabled' });
}
