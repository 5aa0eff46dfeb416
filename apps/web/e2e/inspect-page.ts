import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** What tests do on the page that shows the parser at work. */
export interface InspectPage {
  /** Picks a case by its whole id. */
  pick(id: string): Promise<void>;
  paste(content: string): Promise<void>;
  /** What the panel of the turn says, in the end. */
  readTurn(): Promise<string>;
  /** The deltas, as the score shows them, if all of them are in view. */
  readDeltas(): Promise<string[]>;
  /** How many moments the score has. */
  countMoments(): Promise<number>;
  /** The number of the moment that is looked at, from 1. */
  moment(): Promise<number>;
  button(name: string): Locator;
  readClipboard(): Promise<string>;
}

export function toInspectPage(page: Page): InspectPage {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const panel = page.getByTestId('turn');
  /** Until the next reading is whole, the last one stays beside the new name and options. */
  const settle = () => expect.poll(() => panel.getAttribute('aria-busy')).toBe('false');
  const moments = page.getByRole('slider', { name: 'Moment', exact: true });
  return {
    button,
    async pick(id) {
      await button('Pick a case').click();
      const dialog = page.getByRole('dialog', { name: 'Pick a case' });
      await dialog.getByRole('searchbox').fill(id);
      await dialog.locator('li button', { has: page.getByText(id, { exact: true }) }).click();
      await page.getByRole('heading', { name: new RegExp(`/${id}$`) }).waitFor();
    },
    async paste(content) {
      await button('Paste text').click();
      const dialog = page.getByRole('dialog', { name: 'Paste model text' });
      await dialog.getByLabel('Content, special tokens included').fill(content);
      await dialog.getByRole('button', { name: 'Read it' }).click();
      await page.getByRole('heading', { name: 'Pasted text' }).waitFor();
    },
    async readTurn() {
      await settle();
      await expect.poll(() => panel.getAttribute('data-over')).toBe('true');
      return (await panel.textContent()) ?? '';
    },
    async readDeltas() {
      await settle();
      return page.locator('[role=gridcell][data-row=delta] [data-row=delta]').allTextContents();
    },
    async countMoments() {
      await settle();
      return Number(await moments.getAttribute('max'));
    },
    moment: async () => Number(await moments.inputValue()),
    readClipboard: () => page.evaluate(() => navigator.clipboard.readText()),
  };
}
