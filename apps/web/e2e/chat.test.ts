import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  expectAccessible,
  keepScreenshot,
  launchBrowser,
  takePicture,
  type WatchedPage,
  watchPage,
} from './browser.ts';
import { ChatPage } from './chat-page.ts';

const fast = `${inject('fast')}/chat`;
const slow = `${inject('slow')}/chat`;

/** What the page itself gives up is no failure: it was told to stop, or it was told of an error. */
const gaveUp = /^failed request: .*\/api\/chat net::ERR_ABORTED$/;

// What a test does in the middle of something must not be late on a machine that is busy: at the slow pace
// the arguments, and the thought, go on for more than ten seconds.
const longNote = `Note that ${'the call with Jonas moved to Thursday, and '.repeat(28)}so on.`;
const longThought = `Is it cold in ${'Llanfairpwllgwyngyll '.repeat(50)}?`;

let browser: Browser;
let watched: WatchedPage | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  await watched?.close();
  watched = undefined;
});

async function openChat(url: string, options?: Parameters<typeof watchPage>[2]): Promise<ChatPage> {
  watched = await watchPage(browser, url, options);
  const chat = new ChatPage(watched.page);
  await chat.starter('order').waitFor();
  return chat;
}

function expectNoFaults(allowed: RegExp = /^$/): void {
  expect(watched?.faults.filter((fault) => !allowed.test(fault))).toEqual([]);
}

describe('a conversation', () => {
  it('orders after three replies and an approval, and shows each step', async () => {
    const chat = await openChat(fast);
    await chat.start('order');
    const order = chat.card('send_order');
    await order.getByRole('button', { name: 'Approve' }).waitFor();
    await expect.poll(() => chat.question.getAttribute('placeholder')).toContain('Approve or refuse');
    await expectAccessible(chat.page);
    await takePicture(chat.page, 'chat-approval');

    await order.getByRole('button', { name: 'Approve' }).click();
    await chat.page.getByText('is on its way to Papier & Feder').first().waitFor();
    await chat.settle();
    expect(await chat.question.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await order.textContent()).toContain('Done');
    expect(await chat.messages.textContent()).not.toMatch(/<\||think>/);
    expect(await chat.replies.count()).toBe(1);

    await order.getByRole('button', { name: 'send_order' }).click();
    expect(await order.textContent()).toMatch(/Result\s*\{\s+"order": "PO-/);
    await keepScreenshot(chat.page, 'chat-done');
    expectNoFaults();
  });

  it('takes an approval as soon as it can be given, before the connection is closed', async () => {
    const chat = await openChat(fast);
    await chat.closeLate();
    await chat.start('order');
    await chat.button('Approve').click();
    await chat.page.getByText('is on its way to Papier & Feder').first().waitFor();
    expect(await chat.card('send_order').textContent()).toContain('Done');
    expectNoFaults();
  });

  it('does not send what is refused', async () => {
    const chat = await openChat(fast);
    await chat.start('order');
    await chat.button('Refuse').click();
    await chat.page.getByText('not sent the order').first().waitFor();
    const order = chat.card('send_order');
    await order.getByRole('button', { name: 'send_order' }).click();
    expect(await order.textContent()).toContain('You refused this call. It did not run.');
    expect(await order.textContent()).not.toContain('PO-');
    expectNoFaults();
  });

  it('shows a thought while it grows, then how long it took', async () => {
    const chat = await openChat(slow);
    await chat.ask(longThought);
    const thinking = chat.button('Thinking…');
    await thinking.waitFor();
    expect(await thinking.getAttribute('aria-expanded')).toBe('true');
    await chat.page.getByText('The user asks about').waitFor();
    await keepScreenshot(chat.page, 'chat-thinking');
    const thought = chat.button(/^Thought for \d/).first();
    await thought.waitFor();
    expect(await thought.getAttribute('aria-expanded')).toBe('false');
    await thought.click();
    await chat.page.getByText('I know no weather by heart').waitFor();
    expectNoFaults();
  });

  it('draws a table', async () => {
    const chat = await openChat(fast);
    await chat.start('weather');
    await chat.page.getByText('degrees warmer than').first().waitFor();
    expect(await chat.page.getByRole('table').textContent()).toMatch(/Lisbon.*11 °C.*18 °C/);
    expectNoFaults();
  });

  it('shows arguments as they grow', async () => {
    const chat = await openChat(slow);
    await chat.page.evaluate(() => {
      const seen = new Set<string>();
      Object.assign(window, { grown: seen });
      const look = (): void => {
        const growing = document.querySelector('[data-state="input-streaming"] pre')?.textContent;
        if (growing) seen.add(growing);
      };
      new MutationObserver(look).observe(document.body, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    await chat.ask(longNote);
    await chat.page.getByText('Noted.').first().waitFor();
    const grown = await chat.page.evaluate(() => [...(window as unknown as { grown: Set<string> }).grown]);
    expect(grown.length).toBeGreaterThan(2);
    for (const [at, text] of grown.entries()) expect(text.startsWith(grown[at - 1] ?? '')).toBe(true);
    expectNoFaults();
  });

  it('shows the error of a tool, and what the model makes of it', async () => {
    const chat = await openChat(fast);
    await chat.ask('How is the weather in Atlantis?');
    await chat.page.getByText('I have no weather for Atlantis').first().waitFor();
    const card = chat.card('get_weather');
    expect(await card.textContent()).toContain('Failed');
    expect(await card.textContent()).toContain('There is no weather for Atlantis.');
    expectNoFaults();
  });

  it('goes on over several questions', async () => {
    const chat = await openChat(fast);
    await chat.start('note');
    await chat.page.getByText('Noted.').first().waitFor();
    await chat.settle();
    await chat.ask('What do my notes say?');
    await chat.page.getByText('You have 3 notes').first().waitFor();
    await chat.settle();
    const old = await chat.replies.last().elementHandle();
    await chat.button('Ask again').click();
    await expect.poll(() => old?.evaluate((reply) => reply.isConnected)).toBe(false);
    await chat.page.getByText('You have 3 notes').first().waitFor();
    expect(await chat.replies.count()).toBe(2);
    expectNoFaults();
  });
});

describe('stopping', () => {
  it('keeps what came, runs nothing that was cut, and goes on with the next question', async () => {
    const chat = await openChat(slow);
    await chat.ask(longNote);
    await chat.card('write_note').getByText('Writing arguments').waitFor();
    await chat.button('Stop').click();
    await chat.card('write_note').getByText('Never ran').waitFor();
    expect(await chat.card('write_note').textContent()).toContain('It did not run.');
    await keepScreenshot(chat.page, 'chat-stopped');
    await chat.ask('What do my notes say?');
    await chat.page.getByText('You have 2 notes').first().waitFor();
    expectNoFaults(gaveUp);
  });

  it('marks a text as stopped, for good', async () => {
    const chat = await openChat(slow);
    await chat.ask('Who are you?');
    await chat.page.getByText('I am a pretend model').first().waitFor();
    await chat.button('Stop').click();
    const mark = chat.replies.first().getByText('You stopped this reply.');
    await mark.waitFor();
    expect(await chat.replies.first().textContent()).not.toContain('which needs your approval');
    await expect
      .poll(() => chat.page.locator('main p[role="status"]').textContent())
      .toBe('You stopped this reply.');
    await expectAccessible(chat.page);
    await keepScreenshot(chat.page, 'chat-text-stopped');
    await expect.poll(() => chat.readStored()).toContain('data-cut');

    await chat.page.reload();
    await mark.waitFor();
    await chat.ask('What do my notes say?');
    await chat.page.getByText('You have 2 notes').first().waitFor();
    await chat.settle();
    expect(await mark.count()).toBe(1);
    expect(await chat.replies.last().getByText('You stopped this reply.').count()).toBe(0);
    expectNoFaults(gaveUp);
  });

  it('works by Escape, in the middle of a thought', async () => {
    const chat = await openChat(slow);
    await chat.ask(longThought);
    await chat.button('Thinking…').waitFor();
    await chat.question.press('Escape');
    await chat.button(/^Thought/).waitFor();
    await chat.settle();
    expect(await chat.page.getByRole('article', { name: /^Call of/ }).count()).toBe(0);
    expectNoFaults(gaveUp);
  });
});

describe('trouble', () => {
  it('is told in words, and another server can be tried', async () => {
    const chat = await openChat(fast);
    await chat.chooseServer('html-error-page');
    await chat.start('calculate');
    await chat.alert.waitFor();
    expect(await chat.alert.textContent()).toContain('The server has trouble of its own (status 502).');
    await expectAccessible(chat.page);
    await keepScreenshot(chat.page, 'chat-error');
    await chat.chooseServer('raw-content');
    await chat.alert.getByRole('button', { name: 'Try again' }).click();
    await chat.page.getByText('= 104.958').first().waitFor();
    expect(await chat.alert.count()).toBe(0);
    expectNoFaults(gaveUp);
  });

  it('of the page’s own server is told as well', async () => {
    const chat = await openChat(fast);
    await chat.page.route('**/api/chat', (route) => route.abort('connectionrefused'));
    await chat.start('calculate');
    await chat.alert.waitFor();
    expect(await chat.alert.textContent()).toContain('The server of this page cannot be reached.');
    await chat.page.unroute('**/api/chat');
    await chat.alert.getByRole('button', { name: 'Try again' }).click();
    await chat.page.getByText('= 104.958').first().waitFor();
    expectNoFaults(/api\/chat|ERR_CONNECTION_REFUSED/);
  });
});

describe('conversations', () => {
  it('survive a reload, an approval that waits included', async () => {
    const chat = await openChat(fast);
    await chat.start('order');
    await chat.button('Approve').waitFor();
    await chat.settle();
    await chat.conversations
      .getByRole('button', { name: 'Order twelve notebooks for the office.', exact: true })
      .waitFor();
    await expect.poll(() => chat.readStored()).toContain('approval-requested');
    await chat.page.reload();
    await chat.button('Approve').click();
    await chat.page.getByText('is on its way to').first().waitFor();
    expect(await chat.card('calculator').textContent()).toContain('Done');
    expectNoFaults();
  });

  it('survive a reload in the middle of a reply', async () => {
    const chat = await openChat(slow);
    await chat.ask(longNote);
    await chat.card('write_note').getByText('Writing arguments').waitFor();
    await expect.poll(() => chat.readStored()).toContain('input-streaming');
    await chat.page.reload();
    await chat.card('write_note').waitFor();
    await chat.replies.first().getByText('This reply broke off.').waitFor();
    await chat.ask('What do my notes say?');
    await chat.page.getByText('You have 2 notes').first().waitFor();
    expectNoFaults(gaveUp);
  });

  it('stay deleted, in the middle of a reply too', async () => {
    const chat = await openChat(slow);
    await chat.ask(longNote);
    await chat.card('write_note').getByText('Writing arguments').waitFor();
    const list = chat.conversations.getByRole('listitem');
    await list.hover();
    await chat.button(/^Delete “Note that/).click();
    await chat.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    // What is saved behind the deletion would be there before the next conversation is.
    await chat.start('calculate');
    await list.filter({ hasText: 'What is 12' }).waitFor();
    expect(await list.allTextContents()).toEqual(['What is 12 * 7.35 * 1.19?']);
    expect(await chat.readStored()).not.toContain('Jonas moved');
    expectNoFaults(gaveUp);
  });

  it('are several, and can be renamed and deleted', async () => {
    const chat = await openChat(fast);
    await chat.start('calculate');
    await chat.page.getByText('= 104.958').first().waitFor();
    await chat.settle();
    await chat.button('New conversation').click();
    await chat.start('weather');
    await chat.page.getByText('degrees warmer').first().waitFor();
    await chat.settle();
    const list = chat.conversations.getByRole('listitem');
    await expect.poll(() => list.count()).toBe(2);

    await list.filter({ hasText: 'What is 12' }).hover();
    await chat.button('Rename “What is 12 * 7.35 * 1.19?”').click();
    await chat.page.getByLabel('Name of the conversation').fill('Notebooks');
    await chat.page.keyboard.press('Enter');
    await chat.conversations.getByRole('button', { name: 'Notebooks', exact: true }).click();
    await chat.page.getByText('= 104.958').first().waitFor();

    await list.filter({ hasText: 'Notebooks' }).hover();
    await chat.button('Delete “Notebooks”').click();
    await expectAccessible(chat.page);
    await chat.page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
    expect(await list.count()).toBe(2);
    await chat.button('Delete “Notebooks”').click();
    await chat.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => list.count()).toBe(1);
    await chat.page.reload();
    await chat.conversations.getByRole('button', { name: /^Is it warmer/ }).click();
    await chat.page.getByText('degrees warmer').first().waitFor();
    expectNoFaults();
  });
});

describe('the view without kimi-tc', () => {
  it('shows the same bytes as a plain provider reads them', async () => {
    const chat = await openChat(fast, { viewport: { width: 1280, height: 900 } });
    await chat.start('weather');
    await chat.page.getByText('degrees warmer').first().waitFor();
    await chat.settle();
    await chat.compare();
    const reply = chat.replies.first();
    await reply.getByText('No tool call is seen: nothing runs, and the agent stops here.').waitFor();
    expect(await reply.getByText('<|tool_calls_section_begin|>').count()).toBe(1);
    expect(await reply.getByText('<think>').count()).toBe(2);
    await expectAccessible(chat.page);
    await chat.page
      .locator('[data-comparing]')
      .first()
      .evaluate((box) => box.firstElementChild?.scrollTo(0, 0));
    await takePicture(chat.page, 'chat-compare');
    await chat.page.getByRole('radio', { name: 'Dark' }).check({ force: true });
    await expectAccessible(chat.page);
    await takePicture(chat.page, 'chat-compare-dark');
    expectNoFaults();
  });

  it('finds nothing to show beside a healthy server', async () => {
    const chat = await openChat(fast);
    await chat.chooseServer('healthy');
    await chat.start('weather');
    await chat.page.getByText('degrees warmer').first().waitFor();
    await chat.settle();
    await chat.compare();
    await expect.poll(() => chat.page.getByText('Nothing is lost here.').count()).toBe(2);
    expectNoFaults();
  });
});

describe('a real endpoint', () => {
  it('can be chosen, and its key stays on the server', async () => {
    const chat = await openChat(slow);
    const bodies: Promise<string>[] = [];
    chat.page.on('response', (response) => bodies.push(response.text().catch(() => '')));
    await chat.page.reload();
    await chat.starter('order').waitFor();
    await chat.chooseServer('endpoint');
    await chat.start('calculate');
    await chat.page.getByText('= 104.958').first().waitFor();
    await chat.settle();
    const everything = (await Promise.all(bodies)).join('\n') + (await chat.page.content());
    expect(everything).toContain('104.958');
    expect(everything).not.toContain(inject('secret'));
    expectNoFaults();
  });
});

describe('the page', () => {
  it.each(['light', 'dark'] as const)('is accessible when the system is %s', async (colorScheme) => {
    const chat = await openChat(fast, { colorScheme });
    await expectAccessible(chat.page);
    await keepScreenshot(chat.page, `chat-empty-${colorScheme}`);
    await chat.start('weather');
    await chat.page.getByText('degrees warmer').first().waitFor();
    await chat.settle();
    await expectAccessible(chat.page);
    await keepScreenshot(chat.page, `chat-weather-${colorScheme}`);
    expectNoFaults();
  });

  it('remembers the colours that were chosen', async () => {
    const chat = await openChat(fast, { colorScheme: 'light' });
    const paper = () => chat.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await chat.page.getByRole('radio', { name: 'Dark' }).check({ force: true });
    const dark = await paper();
    expect(dark).not.toBe(light);
    await chat.page.reload();
    expect(await paper()).toBe(dark);
    expect(await chat.page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
    expectNoFaults();
  });

  it('fits a phone', async () => {
    const chat = await openChat(fast, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    await expectAccessible(chat.page);
    const below = (locator: Locator) => locator.evaluate((box) => box.getBoundingClientRect().top);
    const bar = await chat.page.getByRole('switch').evaluate((box) => box.getBoundingClientRect().bottom);
    expect(await below(chat.page.getByRole('heading', { level: 2 }).first())).toBeGreaterThan(bar);
    await keepScreenshot(chat.page, 'chat-phone-empty');
    await chat.start('order');
    await chat.button('Approve').waitFor();
    await chat.settle();
    await takePicture(chat.page, 'chat-phone');
    await chat.compare();
    await chat.page.getByText('Without kimi-tc', { exact: true }).first().waitFor();
    await keepScreenshot(chat.page, 'chat-phone-compare');
    const overflow = () =>
      chat.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(await overflow()).toBe(0);
    await chat.button('Conversations').click();
    await expectAccessible(chat.page);
    await keepScreenshot(chat.page, 'chat-phone-list');
    await chat.button('New conversation').click();
    await chat.starter('order').waitFor();
    expect(await overflow()).toBe(0);
    expectNoFaults();
  });

  it('writes each text in its own direction', async () => {
    const chat = await openChat(fast);
    await chat.ask('Note that שלום עולם, זה טקסט.');
    await chat.page.getByText('Noted.').first().waitFor();
    await chat.settle();
    await chat.ask('שלום');
    await chat.page.getByText('I am a pretend model').first().waitFor();
    const direction = (locator: Locator) => locator.evaluate((box) => getComputedStyle(box).direction);
    expect(await direction(chat.messages.getByText('Note that', { exact: false }).first())).toBe('ltr');
    expect(await direction(chat.messages.getByText('שלום', { exact: true }))).toBe('rtl');
    await chat.question.fill('שלום');
    expect(await direction(chat.question)).toBe('rtl');
    expectNoFaults();
  });

  it('works by keyboard alone', async () => {
    const chat = await openChat(fast);
    const { keyboard } = chat.page;
    const focused = () =>
      chat.page.evaluate(() => {
        const element = document.activeElement;
        return element?.getAttribute('aria-label') || element?.id || element?.textContent || '';
      });
    const tabTo = async (name: RegExp, key = 'Tab'): Promise<void> => {
      for (let presses = 0; presses < 60; presses += 1) {
        if (name.test(await focused())) return;
        await keyboard.press(key);
      }
      throw new Error(`${name} cannot be reached; the focus is on ${await focused()}`);
    };
    await keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the content');
    await keyboard.press('Enter');
    await tabTo(/^server$/);
    await keyboard.type('healthy');
    await tabTo(/^question$/);
    await keyboard.type('Order twelve notebooks for the office.');
    await keyboard.press('Enter');
    await chat.button('Approve').waitFor();
    await tabTo(/^Approve$/, 'Shift+Tab');
    await keyboard.press('Enter');
    await chat.page.getByText('is on its way to').first().waitFor();
    await chat.settle();
    expect(await focused()).toBe('question');
    expect(await chat.page.getByLabel('Server').inputValue()).toBe('healthy');
    await tabTo(/^Delete “Order/, 'Shift+Tab');
    await keyboard.press('Enter');
    await chat.page.getByRole('dialog').waitFor();
    await tabTo(/^Delete$/);
    await keyboard.press('Enter');
    await expect.poll(() => chat.conversations.getByRole('listitem').count()).toBe(0);
    await expect.poll(focused).toBe('New conversation');
    expectNoFaults();
  });

  it('tells screen readers the stations of a reply', async () => {
    const chat = await openChat(slow);
    await chat.page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { announced: seen });
      const status = document.querySelector('main p[role="status"]');
      if (!status) throw new Error('there is no live region');
      new MutationObserver(() => seen.push(status.textContent ?? '')).observe(status, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    await chat.ask(`What is 12 * 7.35 * 1.19${' + 0 * 1'.repeat(8)}?`);
    await chat.page.getByText('= 104.958').first().waitFor();
    await chat.settle();
    const announced = () =>
      chat.page.evaluate(() => (window as unknown as { announced: string[] }).announced);
    await expect
      .poll(announced)
      .toEqual(
        expect.arrayContaining(['Waiting for the server.', 'Thinking.', 'Calling calculator.', 'Answering.']),
      );
    expect((await announced()).at(-1)).toContain('104.958');
    expectNoFaults();
  });
});
