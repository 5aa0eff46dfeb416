import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('a running engine does not keep its process alive', () => {
  const program = `
    const { startEngine } = await import(${JSON.stringify(new URL('start-engine.ts', import.meta.url).href)});
    const { url } = await startEngine({ script: ['Hi.'], delayMs: 5 });
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Go.' }], stream: true });
    const response = await fetch(url + '/v1/chat/completions', { method: 'POST', body });
    console.log((await response.text()).trimEnd().split('\\n').at(-1));
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'data: [DONE]\n', stderr: '' });
});
