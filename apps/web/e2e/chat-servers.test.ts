import { type BehaviourName, behaviours } from '@kimi-tc/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launchBrowser, type WatchedPage, watchPage } from './browser.ts';
import { ChatPage } from './chat-page.ts';

/** Servers whose conversation cannot come to its end, and what the user is told instead. */
const hopeless: Partial<Record<BehaviourName, RegExp>> = {
  'rate-limited': /asked too much at the moment/,
  'server-error': /trouble of its own \(status 500\)/,
  'html-error-page': /trouble of its own \(status 502\)/,
  'connection-reset': /cannot be reached|closed the connection/,
  'tool-use-failed': /refuses the request \(status 400\)/,
  'cut-mid-call': /broke in the middle|cannot be reached|closed the connection/,
  'error-mid-stream': /trouble of its own|ended with an error/,
  'reasoning-only': /without an answer/,
};

const names = Object.keys(behaviours) as BehaviourName[];

let browser: Browser;
let watched: WatchedPage;
let chat: ChatPage;

beforeAll(async () => {
  browser = await launchBrowser();
  watched = await watchPage(browser, `${inject('fast')}/chat`);
  chat = new ChatPage(watched.page);
  await chat.starter('order').waitFor();
});
afterAll(() => browser.close());

it.each(names)('a full conversation over %s', async (name) => {
  await chat.button('New conversation').click();
  await chat.chooseServer(name);
  await chat.start('order');
  const approve = chat.button('Approve');
  const lost = chat.page.getByText('The server reported tool calls, but none came.');
  await approve.or(chat.alert).or(lost).first().waitFor();
  const reason = hopeless[name];
  if (name === 'empty-tool-call-deltas') {
    await chat.settle();
    expect(await lost.isVisible()).toBe(true);
  } else if (reason) {
    await chat.settle();
    expect(await chat.alert.textContent()).toMatch(reason);
    expect(await chat.page.getByRole('article', { name: 'Call of send_order' }).count()).toBe(0);
  } else {
    await approve.click();
    await chat.page
      .getByText(/is on its way to Papier & Feder/)
      .first()
      .waitFor();
    await chat.settle();
    // Without the end of the thought the answer is part of it, and the user is told that there is none.
    expect(await chat.alert.count()).toBe(name === 'think-close-stripped' ? 1 : 0);
    expect(await chat.page.getByRole('article', { name: /^Call of/ }).count()).toBe(3);
    const shown = (await chat.replies.allInnerTexts()).join('\n');
    expect(shown).not.toMatch(/<\||think>|functions[._]/);
  }
  const failed = reason !== undefined || name === 'think-close-stripped';
  // At an error in the stream the page gives up the request.
  const gaveUp = /^failed request: .*\/api\/chat net::ERR_ABORTED$/;
  // Taken out, so that a test that fails does not fail the next ones.
  expect(watched.faults.splice(0).filter((fault) => !(failed && gaveUp.test(fault)))).toEqual([]);
});
