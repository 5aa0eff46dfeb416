import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EdgeVM } from '@edge-runtime/vm';
import { build, type Plugin } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';

const folder = import.meta.dirname;
const require = createRequire(import.meta.url);

/** The package as it is published, by the names of its files; see `tsup.config.ts`. */
const published = new Map<string, string>();

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: ['index', 'kimi-middleware', 'kimi-provider'].map((name) => join(folder, `${name}.ts`)),
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    outdir: folder,
    write: false,
  });
  for (const { path, text } of outputFiles) published.set(path, text);
});

/** Lets a bundle import the published package; what else is ours is read from its source. */
const withPublished: Plugin = {
  name: 'published',
  setup({ onResolve, onLoad }) {
    const namespace = 'published';
    const found = (path: string) => ({ path, namespace, sideEffects: false });
    onResolve({ filter: /^@kimi-tc\/ai-sdk$/ }, () => found(join(folder, 'index.js')));
    onResolve({ filter: /^\./, namespace }, ({ path, importer }) => found(join(dirname(importer), path)));
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: published.get(path) ?? '',
      resolveDir: folder,
    }));
  },
};

async function bundle(contents: string): Promise<{ text: string; packages: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder },
    plugins: [withPublished],
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'bundled',
    conditions: ['@kimi-tc/source', 'edge-light', 'worker', 'import'],
    target: 'es2022',
    write: false,
    metafile: true,
  });
  const inputs = Object.values(metafile.outputs)[0]?.inputs ?? {};
  const present = Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [path] : [],
  );
  const packages = present.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? path);
  return { text: outputFiles[0]?.text ?? '', packages: [...new Set(packages)] };
}

test('the middleware alone brings neither the provider nor what it stands on', async () => {
  const { packages, text } = await bundle(`export { kimiMiddleware } from '@kimi-tc/ai-sdk';`);
  expect(packages.filter((name) => /openai|zod/.test(name))).toEqual([]);
  expect(text).not.toContain('MOONSHOT_API_KEY');
  expect(text).toContain('tool-input-start');
});

test('the provider brings them, so that the test above would see it', async () => {
  const { packages, text } = await bundle(`export { createKimi } from '@kimi-tc/ai-sdk';`);
  expect(packages).toContain('@ai-sdk/openai-compatible');
  expect(text).toContain('MOONSHOT_API_KEY');
});

/** Runs in the edge runtime: a leaked call through provider and middleware, streamed by the real SDK. */
const edgeScript = `
  import { createKimi, kimiMiddleware } from '@kimi-tc/ai-sdk';
  import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
  import { jsonSchema, streamText, tool, wrapLanguageModel } from 'ai';

  const text = 'Saving.<|tool_calls_section_begin|><|tool_call_begin|>functions.save:0' +
    '<|tool_call_argument_begin|>{"title":"A"}<|tool_call_end|><|tool_calls_section_end|>';
  const chunk = (delta, finish_reason) =>
    'data: ' + JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] }) + '\\n\\n';
  const body = [chunk({ role: 'assistant' }, null), ...[...text].map((content) => chunk({ content }, null)), chunk({}, 'stop')];
  const fetch = async () => new Response(body.join('') + 'data: [DONE]\\n\\n', { headers: { 'content-type': 'text/event-stream' } });

  export async function run() {
    const settings = { baseURL: 'https://kimi.example/v1', fetch };
    const models = [
      createKimi(settings)('kimi-k2'),
      wrapLanguageModel({
        model: createOpenAICompatible({ name: 'some', ...settings })('kimi-k2'),
        middleware: kimiMiddleware(),
      }),
    ];
    const results = [];
    for (const model of models) {
      const saved = [];
      const save = tool({
        inputSchema: jsonSchema({ type: 'object', properties: { title: { type: 'string' } } }),
        execute: async ({ title }) => saved.push(title),
      });
      const result = streamText({ model, tools: { save }, prompt: 'Save it.' });
      await result.consumeStream();
      results.push({ text: await result.text, finishReason: await result.finishReason, saved });
    }
    return JSON.stringify(results);
  }
`;

test('provider and middleware run in the edge runtime', async () => {
  const { text } = await bundle(edgeScript);
  const vm = new EdgeVM();
  const ran = vm.evaluate<Promise<string>>(`${text}; bundled.run()`);
  const expected = { text: 'Saving.', finishReason: 'tool-calls', saved: ['A'] };
  expect(JSON.parse(await ran)).toEqual([expected, expected]);
});

test('all that is used of the peers is there in their lowest versions', async () => {
  const lowest = dirname(require.resolve('ai-lowest/package.json'));
  for (const name of ['@ai-sdk/provider', '@ai-sdk/provider-utils']) {
    const imported = new RegExp(`import \\{([^}]*)\\} from "${name}"`, 'g');
    const used = [...published.values()].flatMap((text) =>
      [...text.matchAll(imported)].flatMap(([, names = '']) =>
        names.split(',').map((one) => one.trim().split(' as ')[0] ?? ''),
      ),
    );
    expect(used.length).toBeGreaterThan(0);
    const path = createRequire(join(lowest, 'package.json')).resolve(name);
    const there = Object.keys(await import(path));
    expect(used.filter((one) => !there.includes(one))).toEqual([]);
  }
});
