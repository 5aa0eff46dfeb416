import { parse } from '@kimi-tc/core';
import { type CaseDelta, type CorpusCase, checkCase, loadCases } from '@kimi-tc/testing';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { SAMPLE } from '../src/inspect/sample.ts';
import {
  expectAccessible,
  keepScreenshot,
  launchBrowser,
  takePicture,
  type WatchedPage,
  watchPage,
} from './browser.ts';
import { type InspectPage, toInspectPage } from './inspect-page.ts';

let browser: Browser;
const opened: WatchedPage[] = [];

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** A page leaves without faults, whatever a test did on it. */
afterEach(async () => {
  for (const { faults, close } of opened.splice(0)) {
    await close();
    expect(faults).toEqual([]);
  }
});

async function open(
  options: BrowserContextOptions = {},
  fragment = '',
): Promise<WatchedPage & { inspect: InspectPage }> {
  const watched = await watchPage(browser, `${inject('fast')}/inspect${fragment}`, {
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  opened.push(watched);
  await watched.page.getByRole('grid').waitFor();
  return { ...watched, inspect: toInspectPage(watched.page) };
}

const corpus = loadCases();
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };
const CALL = '<|tool_call_begin|>functions.save:0<|tool_call_argument_begin|>{"a":"b"}<|tool_call_end|>';

/** One of each kind of thing that may happen. */
const CASES = [
  'k2-single-call',
  'chunk-fixed-size-5',
  'k25-token-deltas',
  'call-crosses-fields-inside-arguments',
  'log-glued-stripped-call',
  'bad-singular-char-deltas',
  'call-in-open-fence',
  'id-no-functions-prefix',
  'trunc-mid-args',
  'python-literals',
  'k2-surrogate-pair-split',
  'structured-call-and-text-twin',
  'tool-choice-none-removes-call',
  'turn-ends-behind-close-tag',
];

test.each(CASES)('%s: the turn is the one that the corpus expects, and cuts do not change it', async (id) => {
  const { page, inspect } = await open();
  const { expected, input } = corpus.find((of) => of.id === id) as CorpusCase;
  await inspect.pick(id);
  const turn = await inspect.readTurn();
  expect(turn).toContain('very same turn');
  for (const { name, arguments: args } of expected.toolCalls ?? []) {
    expect(turn).toContain(name);
    if (typeof args === 'string' && args !== '') expect(turn).toContain(args.slice(0, 200));
  }
  for (const code of expected.problems ?? []) expect(turn).toContain(code);
  for (const line of (expected.content ?? '').split('\n')) expect(turn).toContain(line.trim());
  expect(turn.replace('_', '-')).toContain(expected.finishReason?.replace('_', '-'));
  await expect.poll(() => page.getByRole('gridcell').count()).toBeGreaterThan(5);
  await keepScreenshot(page, `inspect-${id}`);

  if (input.kind !== 'deltas') return;
  const counts = new Set<number>();
  const every = page.getByRole('slider', { name: 'Cut after every so many units' });
  for (const [key, units] of [
    ['Home', 1],
    ['End', 64],
  ] as const) {
    await every.press(key);
    await expect.poll(() => page.getByText(`${countDeltas(input.deltas, units)} deltas, `).count()).toBe(1);
    expect(await inspect.readTurn()).toBe(turn);
    counts.add(await inspect.countMoments());
  }
  expect(counts.size).toBe(2);
});

/** How many deltas there are when each run of one field is cut after so many units. */
function countDeltas(deltas: readonly CaseDelta[], units: number): number {
  const runs: { channel: string; length: number }[] = [];
  for (const [channel, text] of deltas) {
    const last = runs.at(-1);
    if (last?.channel === channel) last.length += text.length;
    else runs.push({ channel, length: text.length });
  }
  return runs.reduce((sum, { length }) => sum + Math.ceil(length / units), 0);
}

test('every case of the corpus can be picked, and is found by its words', async () => {
  const { page, inspect } = await open();
  await inspect.button('Pick a case').click();
  const dialog = page.getByRole('dialog');
  await expect
    .poll(() => dialog.getByRole('status').textContent())
    .toBe(`${corpus.length} of ${corpus.length} cases`);
  expect(await dialog.locator('li strong').allTextContents()).toEqual(corpus.map(({ id }) => id));
  await expectAccessible(page);
  await keepScreenshot(page, 'inspect-picker');
  await dialog.getByRole('searchbox').fill('truncated header');
  const found = corpus.filter(({ id, topic, note, source }) => {
    const words = `${id} ${topic} ${note} ${source}`.toLowerCase();
    return words.includes('truncated') && words.includes('header');
  });
  expect(found.length).toBeGreaterThan(1);
  await expect.poll(() => dialog.locator('li strong').allTextContents()).toEqual(found.map(({ id }) => id));
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => dialog.count()).toBe(0);
});

test('the focus goes back to where it was, however a dialog is left', async () => {
  const { page, inspect } = await open();
  const opener = inspect.button('Pick a case');
  const isBack = () => opener.evaluate((button) => button === document.activeElement);
  const dialog = page.getByRole('dialog');
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => dialog.getByRole('button', { name: 'Close', exact: true }).click(),
    () => dialog.getByRole('button', { name: /^log-glued-stripped-call/ }).click(),
  ]) {
    await opener.click();
    await dialog.getByRole('listitem').first().waitFor();
    expect(await isBack()).toBe(false);
    await leave();
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(isBack).toBe(true);
  }
});

test('a case about a request says that there is nothing to read', async () => {
  const { page, inspect } = await open();
  await inspect.pick('placeholder-when-missing');
  const panel = page.getByRole('region', { name: 'history/placeholder-when-missing' });
  expect(await panel.textContent()).toContain('about a request (history)');
  await panel.getByRole('button', { name: 'Close' }).click();
  expect(await panel.count()).toBe(0);
});

test('a link holds the whole reply', async () => {
  const { page, inspect } = await open();
  await inspect.pick('log-glued-stripped-call');
  await page.getByText('How it is read').click();
  await page.getByLabel('Finish reason of the server').selectOption('length');
  const turn = await inspect.readTurn();
  expect(turn).toContain('the server says length');
  const deltas = await inspect.readDeltas();
  await inspect.button('Copy link').click();
  await expect.poll(() => page.getByText('The link is copied').count()).toBe(1);
  const { hash } = new URL(await inspect.readClipboard());
  const other = await open({}, hash);
  await other.page.getByRole('heading', { name: 'From a link' }).waitFor();
  expect(await other.inspect.readTurn()).toBe(turn);
  expect(await other.inspect.readDeltas()).toEqual(deltas);
});

test('a damaged link is told, and the page works', async () => {
  const { page, inspect } = await open({}, '#reply=AAAA');
  await expect.poll(() => page.getByText('The link is damaged').count()).toBe(1);
  expect(await inspect.readTurn()).toContain('very same turn');
});

test('a reply is copied as a case that loads and passes', async () => {
  const { page, inspect } = await open();
  await inspect.pick('id-no-functions-prefix');
  await inspect.button('Copy as case').click();
  await expect.poll(() => page.getByText('The case is copied').count()).toBe(1);
  const copied = checkCase(JSON.parse(await inspect.readClipboard()), 'copied');
  const original = corpus.find(({ id }) => id === 'id-no-functions-prefix') as CorpusCase;
  expect(copied.input).toEqual(original.input);
  if (copied.input.kind !== 'deltas') throw new Error('not a case of text');
  const text = copied.input.deltas.map(([, piece]) => piece).join('');
  const turn = parse(text, { tools: copied.tools as never, finishReason: copied.input.finishReason });
  expect(turn.toolCalls.map(({ id, arguments: args }) => [id, args])).toEqual(
    copied.expected.toolCalls?.map(({ id, arguments: args }) => [id, args]),
  );
  const before = await inspect.readTurn();
  const deltas = await inspect.readDeltas();
  await inspect.paste(JSON.stringify(copied));
  expect(await inspect.readTurn()).toBe(before);
  expect(await inspect.readDeltas()).toEqual(deltas);
});

test('what no case can say is refused with a reason', async () => {
  const { page, inspect } = await open();
  await page.getByText('How it is read').click();
  await page.getByLabel('Most calls').fill('1');
  await expect.poll(() => inspect.readTurn()).toContain('limit-exceeded');
  await inspect.button('Copy as case').click();
  await expect.poll(() => page.getByText('No case: a case has no limits.').count()).toBe(1);
});

test('options and tools change how the reply is read; wrong tools are told', async () => {
  const { page, inspect } = await open();
  await page.getByText('How it is read').click();
  await page.getByLabel('Tool choice none').check();
  await expect.poll(() => inspect.readTurn()).toContain('call-suppressed');
  await page.getByLabel('Tool choice none').uncheck();
  const tools = page.getByLabel('Tools of the request');
  await tools.fill('[{"type":"function"}]');
  await expect.poll(() => page.getByText('0.function').count()).toBe(1);
  const tide = SAMPLE.tools.filter((tool) => tool.function.name === 'get_tide');
  await tools.fill(JSON.stringify(tide));
  await expect.poll(() => inspect.readTurn()).toContain('unknown-tool');
  await tools.fill('');
  await expect.poll(() => inspect.readTurn()).not.toContain('unknown-tool');
  await expectAccessible(page);
});

test('the keyboard walks through time and stations, and plays', async () => {
  const { page, inspect } = await open();
  const here = page.locator('[role=gridcell][aria-selected=true]');
  await here.focus();
  const last = await inspect.countMoments();
  expect(await inspect.moment()).toBe(last);
  await page.keyboard.press('Home');
  await expect.poll(() => inspect.moment()).toBe(1);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => inspect.moment()).toBe(2);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => here.getAttribute('data-row')).toBe('held');
  await expect.poll(() => here.evaluate((cell) => cell === document.activeElement)).toBe(true);
  await page.keyboard.press('PageDown');
  await expect.poll(() => inspect.moment()).toBe(12);
  await expect.poll(() => here.evaluate((cell) => cell === document.activeElement)).toBe(true);
  await page.keyboard.press('Space');
  await expect.poll(() => inspect.moment(), { timeout: 10_000 }).toBeGreaterThan(13);
  await page.keyboard.press('Space');
  await inspect.button('Play').waitFor();
  await page.keyboard.press('End');
  await expect.poll(() => inspect.moment()).toBe(last);
});

test('a key that comes while the picture is still being drawn takes the focus along', async () => {
  const { page } = await open();
  await page.locator('[role=gridcell][aria-selected=true]').focus();
  const lost = await page.getByRole('grid').evaluate(async (grid) => {
    const frame = grid.parentElement as HTMLElement;
    const nextTask = () =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = resolve;
        port2.postMessage(undefined);
      });
    const seen: string[] = [];
    for (let round = 0; round < 48; round++) {
      const key = round % 2 === 0 ? 'Home' : 'End';
      const tasks = Math.floor(round / 4);
      frame.scrollLeft = round % 4 < 2 ? 0 : frame.scrollWidth;
      await new Promise(requestAnimationFrame);
      for (let done = 0; done < tasks; done++) await nextTask();
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      await new Promise(requestAnimationFrame);
      if (document.activeElement?.ariaSelected === 'true') continue;
      seen.push(`${key}, ${tasks} tasks behind a scroll`);
      grid.querySelector<HTMLElement>('[aria-selected=true]')?.focus({ preventScroll: true });
    }
    return seen;
  });
  expect(lost).toEqual([]);
});

test('a cut moves by keyboard and by hand; the picture follows, the turn stays', async () => {
  const { page, inspect } = await open();
  const turn = await inspect.readTurn();
  const deltas = await inspect.readDeltas();
  const cut = page.getByRole('slider', { name: 'Cut 1, between delta 1 and 2' });
  await cut.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => cut.getAttribute('aria-valuenow')).toBe('19');
  await expect.poll(() => inspect.readDeltas()).not.toEqual(deltas);
  await page.keyboard.press('Home');
  await expect.poll(() => cut.getAttribute('aria-valuenow')).toBe('1');
  expect(await inspect.readTurn()).toBe(turn);

  const handle = await cut.boundingBox();
  const target = await page.locator('[data-at]', { hasText: 'Oban is by' }).boundingBox();
  if (!handle || !target) throw new Error('nothing to drag');
  await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
  await page.mouse.down();
  await page.mouse.move(target.x + target.width / 2, target.y + target.height / 2, { steps: 8 });
  await page.mouse.up();
  await expect.poll(async () => Number(await cut.getAttribute('aria-valuenow'))).toBeGreaterThan(9);
  expect(await inspect.readTurn()).toBe(turn);

  const before = await inspect.countMoments();
  await cut.focus();
  await page.keyboard.press('Delete');
  await expect.poll(() => inspect.countMoments()).not.toBe(before);
  await inspect.button('In one piece').click();
  await expect.poll(() => page.getByRole('slider', { name: /^Cut \d+, between/ }).count()).toBe(0);
  expect(await inspect.readTurn()).toBe(turn);
  await inspect.button('As given').click();
  await expect.poll(() => inspect.readDeltas()).toEqual(deltas);
});

test('what belongs together lights up together', async () => {
  const { page } = await open();
  await page.locator('[data-at]', { hasText: /^the sea\.$/ }).hover();
  const lit = page.locator('[role=grid] [data-lit]');
  await expect
    .poll(() => lit.allTextContents())
    .toEqual([
      '¶ contentthe sea.</thi',
      '~ textthe sea.',
      'text · thought',
      '5 may be a token',
      '~ reasoning-deltathe sea.',
      '~ reasoning-deltathe sea.',
    ]);
});

test('the stations explain themselves on the reply at hand', async () => {
  const { page, inspect } = await open();
  const stations = page.getByRole('region', { name: 'How to read the picture' }).getByRole('listitem');
  const seen = [
    /10 deltas/,
    /<think>/,
    /hands over/,
    /beginning of a special token/,
    /id-rewritten/,
    /Here /,
  ];
  expect(await stations.count()).toBe(seen.length);
  for (const [index, words] of seen.entries()) {
    const button = stations.nth(index).getByRole('button');
    await button.click();
    await expect.poll(() => button.textContent()).toMatch(words);
  }
  expect(await inspect.moment()).toBeGreaterThan(1);
  await expectAccessible(page);
});

test('a hundred thousand units stay quick: little of them is drawn, and nothing is asked of a server', async () => {
  const { page, inspect } = await open();
  const requests: string[] = [];
  page.on('request', (request) => {
    if (!request.url().includes('_rsc=')) requests.push(request.url()); // what Next.js gets ahead for the links
  });
  await inspect.paste(`${`Some words, then <b>more</b>. ${CALL}`.repeat(850)}`.slice(0, 99_990));
  const turn = await inspect.readTurn();
  expect(turn).toContain('very same turn');
  expect(await inspect.countMoments()).toBeGreaterThan(6_000);
  expect(await page.getByRole('gridcell').count()).toBeLessThan(300);
  await page.locator('[role=gridcell][aria-selected=true]').focus();
  await page.keyboard.press('Home');
  await expect.poll(() => inspect.moment()).toBe(1);
  await page.getByText('The same as a table').click();
  expect(await page.getByRole('row').count()).toBeLessThan(60);
  expect(requests).toEqual([]);
});

test('more than that is refused with its length', async () => {
  const { page, inspect } = await open();
  await inspect.button('Paste text').click();
  await page.getByLabel('Content, special tokens included').fill('x'.repeat(100_001));
  await inspect.button('Read it').click();
  await expect.poll(() => page.getByText('100001 units are too much').count()).toBe(1);
  await expectAccessible(page);
});

test.each(['light', 'dark'] as const)('%s: accessible, and kept as a picture', async (colorScheme) => {
  const { page } = await open({ colorScheme, viewport: { width: 1360, height: 1000 } });
  await page.getByRole('button', { name: 'Show me' }).nth(4).click();
  await page.getByText('The same as a table').click();
  await expectAccessible(page);
  await page.evaluate(() => window.scrollTo(0, 0));
  await takePicture(page, `inspect-${colorScheme}`);
});

test.each(['light', 'dark'] as const)('phone, %s: nothing is wider than the screen', async (colorScheme) => {
  const { page, inspect } = await open({ ...PHONE, colorScheme });
  const isWider = () => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(await isWider()).toBe(false);
  await page.getByText('How it is read').click();
  expect(await isWider()).toBe(false);
  await expectAccessible(page);
  await keepScreenshot(page, `inspect-phone-${colorScheme}`);
  await inspect.pick('chunk-fixed-size-5');
  expect(await inspect.readTurn()).toContain('very same turn');
  expect(await isWider()).toBe(false);
});
