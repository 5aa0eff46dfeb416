import type { Locator, Page } from 'playwright-core';

const starters = {
  order: /^Order twelve notebooks/,
  weather: /^Is it warmer in Lisbon/,
  calculate: /^What is 12/,
  note: /^Note that the call/,
};

/** The chat page as its user sees it. */
export class ChatPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get question(): Locator {
    return this.page.getByLabel('Your question');
  }

  get messages(): Locator {
    return this.page.getByRole('list', { name: 'Messages' });
  }

  get replies(): Locator {
    return this.page.getByRole('article', { name: 'Reply' });
  }

  get alert(): Locator {
    return this.page.locator('main').getByRole('alert');
  }

  get conversations(): Locator {
    return this.page.getByRole('complementary', { name: 'Conversations' });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  card(tool: string): Locator {
    return this.page.getByRole('article', { name: `Call of ${tool}` });
  }

  async chooseServer(id: string): Promise<void> {
    await this.page.getByLabel('Server').selectOption(id);
  }

  async ask(text: string): Promise<void> {
    await this.question.fill(text);
    // While a reply is on its way Enter does nothing.
    await this.page.getByRole('button', { name: 'Send', exact: true, disabled: false }).waitFor();
    await this.question.press('Enter');
  }

  /** One of the questions that an empty conversation offers. */
  starter(name: keyof typeof starters): Locator {
    return this.page
      .getByRole('region', { name: 'Conversation' })
      .getByRole('button', { name: starters[name] });
  }

  async start(name: keyof typeof starters): Promise<void> {
    await this.starter(name).click();
  }

  /** From now on a reply that is whole stays open for another second. */
  async closeLate(): Promise<void> {
    await this.page.evaluate(() => {
      const { fetch } = window;
      window.fetch = async (...request) => {
        const response = await fetch(...request);
        const late = new TransformStream<Uint8Array, Uint8Array>({
          flush: () => new Promise((resolve) => setTimeout(resolve, 1_000)),
        });
        return new Response(response.body?.pipeThrough(late), response);
      };
    });
  }

  async compare(): Promise<void> {
    await this.page.getByRole('switch', { name: /without kimi-tc/ }).click();
  }

  /** Waits until nothing more comes by itself. */
  async settle(): Promise<void> {
    await this.button('Stop').waitFor({ state: 'detached' });
  }

  /** Everything that the page has stored, as JSON. */
  readStored(): Promise<string> {
    return this.page.evaluate(
      () =>
        new Promise<string>((resolve, reject) => {
          const opening = indexedDB.open('kimi-tc-chat');
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const database = opening.result;
            const reading = database.transaction('conversations').objectStore('conversations').getAll();
            reading.onerror = () => reject(reading.error);
            reading.onsuccess = () => {
              database.close();
              resolve(JSON.stringify(reading.result));
            };
          };
        }),
    );
  }
}
