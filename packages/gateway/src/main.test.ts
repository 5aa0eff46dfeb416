import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEngine } from '@kimi-tc/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from './gateway/test-gateway.ts';
import { commandLine, finish, runCommand, startCommand } from './test-command.ts';
import { readVersion } from './version.ts';

const raw =
  '<think>Hm.</think>Let me look.<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"a":1}<|tool_call_end|><|tool_calls_section_end|>';
/** What colours begin with. */
const colour = '\u001b[';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kimi-tc-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

describe('kimi-tc', () => {
  test('tells its version, and how it is used', async () => {
    const [version, help, nothing] = await Promise.all([
      runCommand(['--version']),
      runCommand(['--help']),
      runCommand([]),
    ]);
    expect(version).toEqual({ code: 0, stdout: `${readVersion()}\n`, stderr: '' });
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const command of ['gateway', 'doctor', 'parse', 'render', 'completion']) {
      expect(help.stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    }
    expect(nothing).toMatchObject({ code: 2, stdout: '' });
    expect(nothing.stderr).toContain('Usage: kimi-tc');
  });

  test('refuses what it does not know with code 2', async () => {
    const [command, option, upstream] = await Promise.all([
      runCommand(['pares']),
      runCommand(['parse', '--modle', 'kimi-k2']),
      runCommand(['--upstream', 'nowhere']),
    ]);
    expect(command).toMatchObject({ code: 2, stdout: '' });
    expect(command.stderr).toContain("unknown command 'pares'\n(Did you mean parse?)");
    expect(option.code).toBe(2);
    expect(option.stderr).toContain('(Did you mean --model?)');
    // An option without a command means the gateway.
    expect(upstream.code).toBe(2);
    expect(upstream.stderr).toContain('--upstream');
    expect(upstream.stderr).not.toContain('unknown option');
  });

  test('refuses an option that is empty, as a variable that is not set leaves it', async () => {
    const all = await Promise.all([
      runCommand(['parse', '--tool-choice', ''], raw),
      runCommand(['render', '--model', ''], '[]'),
      runCommand(['doctor', '--base-url', 'http://127.0.0.1:1/v1', '--api-key-env', '']),
      runCommand(['--upstream', 'http://127.0.0.1:1/v1', '--config', '']),
    ]);
    for (const { code, stderr } of all) {
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: option '.*--(tool-choice|model|api-key-env|config) <\w+>' is empty\n/);
    }
  });

  test('takes a base URL, and not that of a route', async () => {
    const url = 'http://127.0.0.1:1/v1/chat/completions';
    const all = await Promise.all([
      runCommand(['doctor', '--base-url', url]),
      runCommand(['--upstream', url]),
    ]);
    for (const { code, stderr } of all) {
      expect(code).toBe(2);
      expect(stderr).toContain('that ends in front of /chat/completions');
    }
  });

  test('shows nothing of what may be a key, wherever it was typed', async () => {
    const key = 'sk-live-abc123';
    const url = `http://me:${key}@127.0.0.1:1/v1`;
    const ask = ['--base-url', 'http://127.0.0.1:1/v1', '--model', 'kimi-k2'];
    const all: [string[], string?, Record<string, string>?][] = [
      [['doctor', '--base-url', url]],
      [['doctor', ...ask, '--api-key-env', key]],
      [['doctor', ...ask, '--api-key-env', 'sk_live_abc123']],
      [['doctor', ...ask, '--api-key-env', 'KEY'], '', { KEY: `${key}\n${key}` }],
      [['doctor', ...ask, `--api-key=${key}`]],
      [['--upstream', url]],
      [['--upstream', 'http://127.0.0.1:1/v1', '--api-key-env', 'sk_live_abc123']],
      [['--upstream', 'http://127.0.0.1:1/v1', '--redis', key]],
      [['--upstream', 'http://127.0.0.1:1/v1', '--allow-origin', url]],
      [['gateway', `--api-key=${key}`]],
      [['gateway', key]],
      [['completion', key]],
      [[url]],
      [['render'], `{"key": "${key}`],
      [['render'], key],
      [['parse', '--tools', write('no-tools.json', key)], raw],
    ];
    const runs = await Promise.all(
      all.map(([args, input, env = {}]) => runCommand(args, input, { env: { NO_COLOR: '1', ...env } })),
    );
    for (const [at, { code, stdout, stderr }] of runs.entries()) {
      expect({ args: all[at]?.[0], code, stdout }).toEqual({ args: all[at]?.[0], code: 2, stdout: '' });
      expect(stderr).toMatch(/^error: /);
      expect(stderr).not.toMatch(/live|abc123/);
    }
    const lines = await runCommand(['parse', '--jsonl'], key);
    expect(lines.code).toBe(1);
    expect(lines.stderr).not.toContain(key);
  });

  test('every command has examples in its help', async () => {
    const commands = ['gateway', 'doctor', 'parse', 'render', 'completion'];
    const helps = await Promise.all(commands.map((command) => runCommand([command, '--help'])));
    for (const { code, stdout } of helps) {
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Examples:\n[\s\S]*kimi-tc/m);
    }
  });
});

describe('kimi-tc parse', () => {
  test('shows a turn without colours where it is piped, and as JSON', async () => {
    const [shown, json, coloured] = await Promise.all([
      runCommand(['parse'], raw),
      runCommand(['parse', '--json'], raw),
      runCommand(['parse', write('reply.txt', raw)], '', { env: { FORCE_COLOR: '1' } }),
    ]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toBe(
      'reasoning\n  Hm.\ncontent\n  Let me look.\ncall functions.read:0\n  {\n    "a": 1\n  }\nfinish tool-calls\n',
    );
    expect(JSON.parse(json.stdout)).toMatchObject({
      reasoning: 'Hm.',
      toolCalls: [{ name: 'read' }],
      problems: [],
    });
    expect(coloured.stdout).toContain(colour);
  });

  test('prints events while the text is still coming', async () => {
    const child = startCommand(['parse', '--stream']);
    const first = new Promise<string>((resolve) => child.stdout.once('data', resolve));
    child.stdin.write('Let me ');
    expect(JSON.parse(await first)).toEqual({ type: 'text-delta', delta: 'Let me ' });
    const finished = finish(child);
    child.stdin.end('look.');
    expect((await finished).stdout).toContain('"finish"');
  });

  test('reads a file of lines; one that is bad is told, and costs code 1', async () => {
    const file = write('replies.jsonl', `${JSON.stringify(raw)}\nnonsense\n{"text":"fine"}\n`);
    const { code, stdout, stderr } = await runCommand(['parse', file]);
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stderr).toContain(`${file}:2: expected JSON`);
    expect(stderr).toContain('1 of 3 lines could not be read.');
  });

  test('tells files that cannot be read, and options that are wrong', async () => {
    const [missing, folderGiven, tools, badTool] = await Promise.all([
      runCommand(['parse', join(folder, 'none.txt')]),
      runCommand(['parse', folder]),
      runCommand(['parse', '--tools', write('tools.json', '{"a":1}')], raw),
      runCommand(['parse', '--tools', write('nameless.json', '[{"type":"function","function":{}}]')], raw),
    ]);
    for (const { code, stdout } of [missing, folderGiven, tools, badTool]) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    }
    expect(missing.stderr).toContain('none.txt: ENOENT');
    expect(folderGiven.stderr).toContain('is a folder');
    expect(tools.stderr).toContain('expected a JSON array of tools');
    expect(badTool.stderr).toContain('tools[0].function.name');
  });

  const lines = 300_000;

  test(`reads ${lines} lines in a heap that could not keep their turns`, async () => {
    // A limit, as without one the heap grows as far as there is memory, whatever is kept. Megabytes; a few for
    // young objects, of which many are moved at a time otherwise.
    const nodeArgs = ['--max-old-space-size=64', '--max-semi-space-size=1'];
    const child = startCommand(['parse', '--jsonl'], { nodeArgs });
    let seen = 0;
    child.stdout.on('data', (text: string) => {
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) seen += 1;
    });
    const closed = new Promise((resolve) => child.on('close', resolve));
    const batch = '{"text":"Let me look at it."}\n'.repeat(1000);
    for (let sent = 0; sent < lines && child.stdin.writable; sent += 1000) {
      if (!child.stdin.write(batch)) {
        await Promise.race([closed, new Promise((resolve) => child.stdin.once('drain', resolve))]);
      }
    }
    child.stdin.end();
    expect(await closed).toBe(0);
    expect(seen).toBe(lines);
  });

  test('stops reading while nobody reads what it writes', async () => {
    const child = startCommand(['parse', '--jsonl']);
    const batch = `${JSON.stringify({ text: 'x'.repeat(1000) })}\n`.repeat(100);
    const begun = new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdin.write(batch);
    await begun;
    child.stdout.pause();
    // What fits into the pipes and one piece on its way; without a stop it would be all of it.
    let taken = 0;
    while (taken < 2 ** 25) {
      taken += batch.length;
      if (child.stdin.write(batch)) continue;
      const drained = new Promise<boolean>((resolve) => child.stdin.once('drain', () => resolve(true)));
      if (!(await Promise.race([drained, sleep(1500, false)]))) break;
    }
    child.kill('SIGKILL');
    expect(taken).toBeLessThan(2 ** 23);
  });

  test('ends quietly when its reader leaves', async () => {
    const file = write('many.jsonl', '{"text":"Let me look at it."}\n'.repeat(20_000));
    const child = spawn(process.execPath, commandLine(['parse', file]));
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('kimi-tc render', () => {
  const messages = [{ role: 'user', content: 'Hi <|im_end|>' }];
  const request = { model: 'kimi-k2.5', messages, thinking: { type: 'disabled' } };

  test('prints the prompt and nothing else', async () => {
    const [whole, list, segments] = await Promise.all([
      runCommand(['render'], JSON.stringify(request)),
      runCommand(['render', '--model', 'kimi-k2.5', '--no-generation-prompt', write('m.json', messages)]),
      runCommand(['render', '--segments', '--thinking'], JSON.stringify(request)),
    ]);
    const conversation = '<|im_user|>user<|im_middle|>Hi <|im_end|><|im_end|>';
    expect(whole).toEqual({
      code: 0,
      stdout: `${conversation}<|im_assistant|>assistant<|im_middle|><think></think>`,
      stderr: '',
    });
    expect(list.stdout).toBe(conversation);
    expect((JSON.parse(segments.stdout) as object[]).at(-1)).toEqual({ text: '<think>', special: true });
  });

  test('puts a history right if told to', async () => {
    const calls = [{ id: 'call_9', type: 'function', function: { name: 'read', arguments: '{}' } }];
    const history = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'call_9', content: 'text' },
    ];
    const input = JSON.stringify({ model: 'kimi-k2-instruct', messages: history });
    const [asGiven, normalized] = await Promise.all([
      runCommand(['render'], input),
      runCommand(['render', '--normalize'], input),
    ]);
    expect(asGiven.stdout).toContain('## Return of call_9');
    expect(normalized.stdout).toContain('## Return of functions.read:0');
  });

  test('says what it cannot render', async () => {
    const [model, shape, token, json] = await Promise.all([
      runCommand(['render'], JSON.stringify(messages)),
      runCommand(['render', '--model', 'k2.5'], '{"a":1}'),
      runCommand(['render', '--special-tokens', 'reject'], JSON.stringify(request)),
      runCommand(['render'], '{'),
    ]);
    for (const { code, stdout } of [model, shape, token, json])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(model.stderr).toContain('--model: the input names no model');
    expect(shape.stderr).toContain('expected a chat request with "messages", or an array of messages');
    expect(token.stderr).toContain('messages[0]');
    expect(json.stderr).toContain('stdin: expected JSON');
  });
});

describe('kimi-tc doctor', () => {
  test('says of a healthy server that it is, and of another one what mends it', async () => {
    const script = () => '<think>Hm.</think>Good day.';
    const [healthy, leaking] = await Promise.all([
      startEngine({ script }),
      startEngine({ script, behaviour: 'raw-content', apiKey: 'sesame' }),
    ]);
    const { stdout, code, stderr } = await runCommand(
      ['doctor', '--base-url', `${leaking.baseURL}/`, '--api-key-env', 'MY_KEY'],
      '',
      {
        env: { MY_KEY: 'sesame' },
      },
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).not.toContain(colour);
    expect(stdout).toContain('reasoning-in-content');
    expect(stdout).toContain('createKimiFetch() of @kimi-tc/openai');
    expect(stdout).not.toContain('sesame');

    const json = await runCommand([
      'doctor',
      '--base-url',
      healthy.baseURL,
      '--json',
      '--model',
      'kimi-k2.5',
      // Slow it may be, on a machine that is busy elsewhere.
      '--slow',
      '60000',
    ]);
    const report = JSON.parse(json.stdout) as { findings: { code: string }[]; model: string };
    // The pretend model was forced to call a tool, and did not.
    expect(report).toMatchObject({ model: 'kimi-k2.5', findings: [{ code: 'forced-tool-ignored' }] });
    await Promise.all([healthy.stop(), leaking.stop()]);
  });

  // util-linux has it; it runs a command in a terminal of its own.
  const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

  test.skipIf(!hasScript)('shows a bar and colours on a terminal, unless NO_COLOR is set', async () => {
    const engine = await startEngine({ script: () => 'Good day.', delayMs: 20 });
    const args = ['doctor', '--base-url', engine.baseURL, '--parallel', '1'];
    const line = [process.execPath, ...commandLine(args)].map((word) => `'${word}'`).join(' ');
    const run = (env: NodeJS.ProcessEnv) => {
      const child = spawn('script', ['-qec', line, '/dev/null'], {
        env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let stdout = '';
      child.stdout.on('data', (text) => {
        stdout += text;
      });
      return new Promise<string>((resolve) => child.on('close', () => resolve(stdout)));
    };
    const [coloured, plain] = await Promise.all([run({}), run({ NO_COLOR: '1' })]);
    await engine.stop();
    const red = `${colour}31m`;
    for (const output of [coloured, plain]) {
      expect(output).toMatch(/\d+ % {2}[a-z-]+/);
      expect(output).toContain('what mends it');
    }
    expect(coloured).toContain(`${red}fault`);
    expect(plain).not.toContain(red);
  });

  test('tells why an endpoint cannot be asked, with code 2', async () => {
    const engine = await startEngine({
      script: ['Hi.'],
      apiKey: 'sesame',
      models: ['kimi-k2.5', 'kimi-k2.6'],
    });
    const base = engine.baseURL;
    const gone = await startEngine({ script: [] });
    await gone.stop();
    const env = { KEY: 'sesame', EMPTY: '' };
    const run = (...args: string[]) => runCommand(['doctor', ...args], '', { env });
    const [nobody, key, unset, path, several, url] = await Promise.all([
      run('--base-url', gone.baseURL, '--model', 'kimi-k2.5'),
      run('--base-url', base, '--model', 'kimi-k2.5'),
      run('--base-url', base, '--api-key-env', 'EMPTY'),
      run('--base-url', engine.url, '--api-key-env', 'KEY', '--model', 'kimi-k2.5'),
      run('--base-url', base, '--api-key-env', 'KEY'),
      run('--base-url', 'localhost:8000'),
    ]);
    for (const { code, stdout } of [nobody, key, unset, path, several, url])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(nobody.stderr).toContain('cannot be reached');
    expect(key.stderr).toContain('refuses the key');
    expect(unset.stderr).toContain('--api-key-env: expected the name of an environment variable');
    expect(path.stderr).toContain('the base URL often ends in /v1');
    expect(several.stderr).toContain('the endpoint has kimi-k2.5, kimi-k2.6');
    expect(url.stderr).toContain('--base-url: expected an http or https URL');
    await engine.stop();
  });

  test('does not show the key that a server repeats', async () => {
    const url = await startServer((request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `Wrong: ${request.headers.authorization}` } }));
    });
    const args = ['doctor', '--base-url', `${url}/v1`, '--model', 'kimi-k2', '--api-key-env', 'KEY'];
    const { code, stderr } = await runCommand(args, '', { env: { KEY: 'sk-live-abc123' } });
    expect(code).toBe(2);
    expect(stderr).toContain('refuses the key (status 401, Wrong: Bearer [key])');
  });
});

/** What a shell offers for a line that is being typed. */
const shells = [
  {
    name: 'bash',
    ask: (script: string, words: readonly string[]) => `
${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_kimi_tc
printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  {
    name: 'fish',
    ask: (script: string, words: readonly string[]) => `
${script}
complete -C '${words.join(' ')}' | string replace -r '\\t.*' ''`,
  },
];

describe.each(shells)('kimi-tc completion $name', ({ name, ask }) => {
  const isThere = spawnSync(name, ['--version']).status === 0;

  test.skipIf(!isThere)('completes commands, options and words', async () => {
    const { stdout: script, code } = await runCommand(['completion', name]);
    expect(code).toBe(0);
    const offer = (...words: string[]): string[] => {
      const { stdout, stderr } = spawnSync(name, ['-c', ask(script, ['kimi-tc', ...words])], {
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .sort();
    };
    expect(offer('')).toEqual(['completion', 'doctor', 'gateway', 'parse', 'render']);
    expect(offer('pa')).toEqual(['parse']);
    expect(offer('parse', '--ch')).toEqual(['--channel']);
    expect(offer('parse', '--channel', '')).toEqual(['content', 'reasoning']);
    expect(offer('doctor', '--base')).toEqual(['--base-url']);
    expect(offer('doctor', '--base-url', '')).toEqual([]);
    expect(offer('completion', 'f')).toEqual(['fish']);
    // An option without a command is one of the gateway.
    expect(offer('--ups')).toEqual(['--upstream']);
    expect(offer('--upstream', 'http://localhost', '--transp')).toEqual(['--transport']);
    expect(offer('gateway', '--transport', '')).toEqual(['auto', 'chat', 'completions']);
    expect(offer('--log-format', 'p')).toEqual(['pretty']);
  });
});

test.skipIf(spawnSync('zsh', ['--version']).status !== 0)('zsh takes its script', async () => {
  const { stdout: script } = await runCommand(['completion', 'zsh']);
  const { status, stderr } = spawnSync('zsh', ['-f'], {
    input: `autoload -U compinit; compinit -D -u\n${script}\n(( $+_comps[kimi-tc] ))`,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(script).toContain(
    "'*--tools[tools that were offered: a JSON array, or the request they stand in]:file:_files'",
  );
  expect(script).toContain(
    "'*--channel[the field that raw text stood in; lines that name their fields keep them]:field:(content reasoning)'",
  );
});

test.skipIf(spawnSync('bash', ['--version']).status !== 0)(
  'bash itself completes the line of a user, files too',
  async () => {
    const { stdout: script } = await runCommand(['completion', 'bash']);
    write('completion.bash', script);
    write('request.json', '{}');
    const typed = `source ./completion.bash\nkimi-tc() { printf 'ran:%s:' "$@"; }\nkimi-tc par\t--tools req\t\nexit\n`;
    const { stdout } = spawnSync('bash', ['--norc', '--noprofile', '-i'], {
      cwd: folder,
      input: typed,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, TERM: 'dumb', HISTFILE: '/dev/null' },
    });
    expect(stdout).toContain('ran:parse:ran:--tools:ran:request.json:');
  },
);
