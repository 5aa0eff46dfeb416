import { Miniflare } from 'miniflare';
import { bundle } from './bundle.ts';

/** The smoke as a worker of Cloudflare's runtime. */
export async function runInWorkerd(baseURL: string): Promise<readonly string[]> {
  const worker = new Miniflare({
    modules: true,
    script: await bundle('in-worker.ts', { format: 'esm', conditions: ['workerd', 'worker'] }),
    compatibilityDate: '2026-07-01',
    host: '127.0.0.1',
  });
  try {
    const response = await worker.dispatchFetch(`http://127.0.0.1/?${new URLSearchParams({ baseURL })}`);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return JSON.parse(text) as string[];
  } finally {
    await worker.dispose();
  }
}
