import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CorpusCase, loadCases } from '@kimi-tc/testing';

/** What the user asks if nothing else is asked. */
export const question =
  'When I switch the language to German, the theme toggle in the header stays English. Why?';

/** One reply of the pretend model, and what an agent has to make of it. */
export interface ScriptedTurn {
  /** The raw text; a list is the text in the pieces in which a real server produced it. */
  readonly text: string | readonly string[];
  /** Why generation ended. Default: `stop`, the model's own end. */
  readonly finishReason?: 'length';
  /**
   * Where the text stands: as a real server was logged with it, in a form that a server that parses
   * can read, or in a form that it cannot.
   */
  readonly form: 'logged' | 'well-formed' | 'ill-formed';
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly ScriptedCall[];
  /** The id of a call that is cut and must not run. */
  readonly cutCall?: string;
}

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  /** What the result has to hold, if the tool really ran. */
  readonly result: readonly string[];
}

/**
 * The conversation of the demo. The first two replies are what a real K2-Thinking server produced,
 * piece by piece, as the corpus has it; the others are ours.
 *
 * @param root the sample project, where results are looked up
 */
export async function loadScript(root: string): Promise<readonly ScriptedTurn[]> {
  const cases = loadCases({ kinds: ['deltas'] });
  return [
    await toTurn(cases, 'log-arguments-then-closer-and-markers', root),
    await toTurn(cases, 'log-glued-stripped-call', root),
    parallelCalls,
    await sectionNeverClosed(root),
    callInThought,
    callCutByLimit,
    shorterCall,
    answer,
  ];
}

async function toTurn(cases: readonly CorpusCase[], id: string, root: string): Promise<ScriptedTurn> {
  const found = cases.find((one) => one.id === id);
  if (found?.input.kind !== 'deltas') throw new Error(`the corpus has no deltas called ${id}`);
  const { reasoning = '', content = '', toolCalls = [] } = found.expected;
  return {
    text: found.input.deltas.map(([, text]) => text),
    form: 'logged',
    reasoning,
    content,
    calls: await Promise.all(
      toolCalls.map(async (call) => {
        const json = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
        const { args } = JSON.parse(json) as { args: { path: string }[] };
        return {
          id: call.id ?? '',
          name: call.name,
          arguments: json,
          result: await readAll(
            root,
            args.map(({ path }) => path),
          ),
        };
      }),
    ),
  };
}

const parallelCalls: ScriptedTurn = {
  text:
    '<think>t() takes the text of the language, then the English one. So German may lack the keys of the toggle. ' +
    'Which keys are used, and where are the texts?</think>Two look-ups at once:' +
    '<|tool_calls_section_begin|>' +
    '<|tool_call_begin|>functions.search_text:4<|tool_call_argument_begin|>{"query": "t(\'theme.", "path": "src"}<|tool_call_end|>' +
    '<|tool_call_begin|>functions.list_files:5<|tool_call_argument_begin|>{"path": "src/locales"}<|tool_call_end|>' +
    '<|tool_calls_section_end|>',
  form: 'well-formed',
  reasoning:
    't() takes the text of the language, then the English one. So German may lack the keys of the toggle. ' +
    'Which keys are used, and where are the texts?',
  content: 'Two look-ups at once:',
  calls: [
    {
      id: 'functions.search_text:4',
      name: 'search_text',
      arguments: '{"query": "t(\'theme.", "path": "src"}',
      result: ['src/components/ThemeToggle.tsx:11:', 'src/components/ThemeToggle.tsx:12:'],
    },
    {
      id: 'functions.list_files:5',
      name: 'list_files',
      arguments: '{"path": "src/locales"}',
      result: ['src/locales/de.json', 'src/locales/en.json'],
    },
  ],
};

/** The stream ends behind the call; nothing closes the section. */
async function sectionNeverClosed(root: string): Promise<ScriptedTurn> {
  const json = '{"args": [{"path": "src/locales/en.json"}, {"path": "src/locales/de.json"}]}';
  return {
    text:
      '<think>The two files, side by side.</think>I compare both languages.' +
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:6<|tool_call_argument_begin|>${json}<|tool_call_end|>`,
    form: 'ill-formed',
    reasoning: 'The two files, side by side.',
    content: 'I compare both languages.',
    calls: [
      {
        id: 'functions.read_file:6',
        name: 'read_file',
        arguments: json,
        result: await readAll(root, ['src/locales/en.json', 'src/locales/de.json']),
      },
    ],
  };
}

/** The thought is still open when the model calls. */
const callInThought: ScriptedTurn = {
  text:
    '<think>English has 12 keys, German has 9, and all three that are missing belong to the toggle. In percent, that is:' +
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.calculator:7<|tool_call_argument_begin|>{"expression": "9 / 12 * 100"}<|tool_call_end|><|tool_calls_section_end|>',
  form: 'ill-formed',
  reasoning:
    'English has 12 keys, German has 9, and all three that are missing belong to the toggle. In percent, that is:',
  content: '',
  calls: [
    {
      id: 'functions.calculator:7',
      name: 'calculator',
      arguments: '{"expression": "9 / 12 * 100"}',
      result: ['75'],
    },
  ],
};

const callCutByLimit: ScriptedTurn = {
  text:
    '<think>Does any text go around t()? I could read all the files again.</think>Last, whether other texts are affected.' +
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:8<|tool_call_argument_begin|>{"args": [{"path": "src/app/layout.tsx"}, {"path": "src/app/pa',
  finishReason: 'length',
  form: 'ill-formed',
  reasoning: 'Does any text go around t()? I could read all the files again.',
  content: 'Last, whether other texts are affected.',
  calls: [],
  cutCall: 'functions.read_file:8',
};

const shorterCall: ScriptedTurn = {
  text:
    '<think>That was cut and did not run. One search will do.</think>' +
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.search_text:9<|tool_call_argument_begin|>{"query": "aria-label="}<|tool_call_end|><|tool_calls_section_end|>',
  form: 'well-formed',
  reasoning: 'That was cut and did not run. One search will do.',
  content: '',
  calls: [
    {
      id: 'functions.search_text:9',
      name: 'search_text',
      arguments: '{"query": "aria-label="}',
      result: [
        "src/components/Header.tsx:15: <nav aria-label={t('header.navigation')}>",
        "aria-label={t('language.choose')}",
        "aria-label={t('theme.toggle')}",
      ],
    },
  ],
};

const conclusion = `The toggle is fine, its German texts are missing.

- src/components/ThemeToggle.tsx asks for theme.toggle (line 11), theme.toDark and theme.toLight (line 12).
- src/locales/de.json has none of the three: 9 of the 12 English keys are there, 75 %.
- t() in src/contexts/TranslationContext.tsx (line 26) then takes the English text without a word.

Add the three keys to src/locales/de.json. All labels go through t(), so nothing else is affected.`;

const answer: ScriptedTurn = {
  text: `<think>Everything fits together.</think>${conclusion}`,
  form: 'well-formed',
  reasoning: 'Everything fits together.',
  content: conclusion,
  calls: [],
};

async function readAll(root: string, paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')));
}
