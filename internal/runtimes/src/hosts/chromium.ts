import { chromium } from 'playwright-core';
import { bundle } from './bundle.ts';

/** The core in a page of a real browser; a page may not ask a server elsewhere, and need not. */
export async function runInChromium(): Promise<readonly string[]> {
  const script = await bundle('smoke-core.ts', { format: 'iife', conditions: ['browser'] });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  });
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: script });
    await page.evaluate('smoke.smokeCore()');
    return ['core'];
  } finally {
    await browser.close();
  }
}
