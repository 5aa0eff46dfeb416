import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEngine } from '@kimi-tc/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { finish, runCommand, startCommand } from '../test-command.ts';
import { makeFolder, post, startServer, until } from './test-gateway.ts';

const ask = { model: 'kimi-k2', messages: [{ role: 'user', content: 'Go.' }], stream: true };

/** The command, once it listens. */
async function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = startCommand(['--port', '0', ...args], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  const ended = finish(child);
  await until(() => output.includes('the gateway listens') || child.exitCode !== null);
  const url = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(output)?.[0] as string;
  return { child, url, ended, output: () => output };
}

async function startSlow(delayMs = 25) {
  const words = Array.from({ length: 40 }, (_, at) => `word ${at} `);
  const engine = await startEngine({ script: () => ({ text: words }), delayMs });
  onTestFinished(() => engine.stop());
  const gateway = await start(['--upstream', engine.baseURL]);
  const response = await post(`${gateway.url}/chat/completions`, ask);
  return { engine, gateway, response };
}

/** Signals that come before a process has begun to listen end it: it listens for them once it serves. */
function send(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  child.kill(signal);
}

describe('kimi-tc gateway', () => {
  test('serves by flags, with and without its name, and by the environment', async () => {
    const engine = await startEngine({ script: () => 'Hello.', apiKey: 'own' });
    onTestFinished(() => engine.stop());
    const ways: [string[], Record<string, string>][] = [
      [['--upstream', engine.baseURL, '--api-key-env', 'OWN'], { OWN: 'own' }],
      [['gateway', '-u', engine.baseURL, '--api-key-env=OWN'], { OWN: 'own' }],
      [[], { OWN: 'own', KIMI_TC_API_KEY_ENV: 'OWN', KIMI_TC_UPSTREAM: engine.baseURL }],
    ];
    for (const [args, env] of ways) {
      const child = startCommand(args, { env: { ...env, KIMI_TC_PORT: '0' } });
      onTestFinished(() => void child.kill('SIGKILL'));
      let output = '';
      child.stdout.on('data', (text) => (output += text));
      await until(() => output.includes('the gateway listens'));
      const { url } = JSON.parse(output.split('\n')[0] as string) as { url: string };
      const response = await post(`${url}/chat/completions`, { ...ask, stream: false });
      expect(await response.text()).toContain('Hello.');
      expect(output).not.toContain('own"');
      child.kill('SIGTERM');
      expect((await once(child, 'exit'))[0]).toBe(0);
    }
  });

  test('a file, and flags that come before it', async () => {
    const engine = await startEngine({ script: () => 'Hello.', models: ['kimi-k2'] });
    onTestFinished(() => engine.stop());
    const file = join(makeFolder(), 'gateway.json');
    writeFileSync(file, JSON.stringify({ upstreams: [{ url: engine.baseURL }], listen: { port: 1 } }));
    const { url } = await start(['--config', file, '--model-map', 'fast=kimi-k2']);
    const response = await post(`${url}/chat/completions`, { ...ask, model: 'fast', stream: false });
    expect(response.status).toBe(200);
  });

  test('requests for a model whose name does not tell are what --model wants', async () => {
    const engine = await startEngine({ script: () => 'Hello.' });
    onTestFinished(() => engine.stop());
    const { url } = await start(['-u', engine.baseURL, '--model', 'k2.5']);
    const call = { id: 'x', type: 'function', function: { name: 'look', arguments: '{}' } };
    const messages = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'x', content: 'ok' },
    ];
    await post(`${url}/chat/completions`, { model: 'served-model', messages });
    const sent = engine.requests[0]?.body as { model: string; messages: { tool_call_id?: string }[] };
    expect(sent.model).toBe('served-model');
    expect(sent.messages.at(-1)?.tool_call_id).toBe('functions.look:0');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s lets an open stream finish; exit code 0', async (signal) => {
    const { gateway, response } = await startSlow();
    send(gateway.child, signal);
    const text = await response.text();
    expect(text).toContain('word 39');
    expect(text).toContain('[DONE]');
    expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
    expect(gateway.output()).toContain('stopping');
  });

  test('a second signal ends at once', async () => {
    // Longer than any machine takes to tell the process twice.
    const { gateway, response, engine } = await startSlow(1000);
    send(gateway.child, 'SIGTERM');
    await until(() => gateway.output().includes('stopping'));
    send(gateway.child, 'SIGTERM');
    await expect(response.text()).rejects.toThrow();
    const [code, signal] = [(await gateway.ended).code, gateway.child.signalCode];
    expect([code, signal]).toEqual([null, 'SIGTERM']);
    await until(() => engine.requests[0]?.aborted === true);
  });

  test('what cannot run says why: exit code 2', async () => {
    const wrong: [string[], string, Record<string, string>?][] = [
      [['gateway'], 'upstreams: expected a list of upstreams, found nothing'],
      [['-u', 'http://h/v1', '--host', '::'], 'expected gatewayKeysEnv', { KIMI_TC_ALLOW_PUBLIC: '0' }],
      [['-u', 'http://h/v1'], 'KIMI_TC_ALLOW_PUBLIC: expected true or false', { KIMI_TC_ALLOW_PUBLIC: 'x' }],
      [['-u', 'http://h/v1', '--config', '/no/such.json'], '/no/such.json: cannot be read (ENOENT)'],
      [['-u', 'http://h/v1', '--nonsense'], "unknown option '--nonsense'"],
    ];
    const runs = wrong.map(async ([args, message, env = {}]) => {
      const { code, stderr, stdout } = await runCommand(args, '', { env });
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr).toContain(message);
      expect(stderr).not.toContain('    at ');
    });
    await Promise.all(runs);
  });

  test('a port that is taken: exit code 2', async () => {
    const taken = new URL(await startServer(() => {})).port;
    const { code, stderr } = await runCommand(['-u', 'http://h/v1', '--port', taken]);
    expect(code).toBe(2);
    expect(stderr).toContain(`cannot listen on 127.0.0.1, port ${taken} (EADDRINUSE)`);
  });

  test('help teaches: examples, variables, defaults', async () => {
    const { code, stdout } = await runCommand(['gateway', '--help']);
    expect(code).toBe(0);
    for (const part of [
      'Examples:',
      '--upstream http://localhost:8000/v1',
      'KIMI_TC_UPSTREAM',
      'default: 4040',
      'replies of every model are read',
    ])
      expect(stdout.replace(/\s+/g, ' ')).toContain(part);
  });
});
