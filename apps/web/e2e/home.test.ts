import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { expectAccessible, keepScreenshot, launchBrowser, watchPage } from './browser.ts';

const home = inject('fast');

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

it.each(['light', 'dark'] as const)(
  'the first page shows what the project does, in %s',
  async (colorScheme) => {
    const { page, faults, close } = await watchPage(browser, home, { colorScheme });
    const turn = page.getByRole('figure', { name: 'The app gets' });
    expect(await turn.textContent()).toMatch(/get_weather {"city":"Oslo"}.*tool-calls/);
    await expectAccessible(page);
    await keepScreenshot(page, `home-${colorScheme}`);
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page.getByLabel('Your question').waitFor();
    expect(faults).toEqual([]);
    await close();
  },
);

it('the first page fits a phone', async () => {
  const { page, faults, close } = await watchPage(browser, home, { viewport: { width: 375, height: 740 } });
  const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
  expect(scrollWidth).toBe(clientWidth);
  await keepScreenshot(page, 'home-phone');
  expect(faults).toEqual([]);
  await close();
});

it('all responses carry the security headers, and pages a fresh nonce', async () => {
  const policies = new Set<string | null>();
  for (const path of ['/', '/chat', '/chat', '/nowhere']) {
    const { headers, status } = await fetch(home + path);
    expect(status).toBe(path === '/nowhere' ? 404 : 200);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/script-src 'self' 'nonce-[\w=+/]+';/);
    expect(policy).not.toContain('unsafe');
    policies.add(policy);
  }
  expect(policies.size).toBe(4);
});

it('the API takes posts of its own pages only', async () => {
  const get = await fetch(`${home}/api/chat`);
  expect(get.status).toBe(405);
  for (const from of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    const foreign = await fetch(`${home}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...from },
      body: '{}',
    });
    expect(foreign.status).toBe(403);
  }
});

it('the API believes no name but its own, and refuses a body that has no end', async () => {
  const { host } = new URL(home);
  const post = async (to: string, write: (body: NodeJS.WritableStream) => void): Promise<IncomingMessage> => {
    const sent = request(`${home}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', host: to, origin: `http://${to}` },
    });
    // The server closes the connection on a body that goes on.
    sent.on('error', () => {});
    write(sent);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    sent.destroy();
    return answer;
  };
  const rebound = await post('evil.example:3000', (body) => body.end('{}'));
  expect(rebound.statusCode).toBe(403);
  const endless = await post(host, (body) => body.write('x'.repeat(1_500_000)));
  expect(endless.statusCode).toBe(413);
  expect(endless.headers['content-security-policy']).toContain("default-src 'none'");
});

it.each([
  ['too long', 413, Buffer.alloc(1_100_000, ' ')],
  ['far too long', 413, Buffer.alloc(2_000_000, ' ')],
  ['no UTF-8', 400, Buffer.alloc(900_000, 0xff)],
])('a body that is %s breaks no request behind it on the same connection', async (_, status, body) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = async (content: string | Buffer): Promise<[number | undefined, string]> => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(`${home}/api/chat`, { method: 'POST', headers, agent });
    sent.end(content);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return [answer.statusCode, await text(answer)];
  };
  for (let round = 0; round < 6; round++) {
    expect(await post(body)).toEqual([status, expect.stringMatching(/^(The conversation|Expected a body) /)]);
    expect(await post('{}')).toEqual([400, expect.stringContaining('messages')]);
  }
  agent.destroy();
});
