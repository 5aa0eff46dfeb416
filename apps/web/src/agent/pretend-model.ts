import { z } from 'zod';
import { cities, fold, type Weather } from './weather.ts';

/** What the pretend model is about to say. */
interface Utterance {
  readonly thought: string;
  readonly text?: string;
  readonly calls?: readonly (readonly [name: string, input: Readonly<Record<string, unknown>>])[];
}

interface Result {
  readonly name: string;
  /** As the tool gave it: JSON, or the text of an error. */
  readonly text: string;
}

/** What has been said since the user spoke last. */
interface Heard {
  readonly question: string;
  readonly results: readonly Result[];
}

const messagesSchema = z.array(
  z.object({
    role: z.string(),
    content: z
      .union([z.string(), z.array(z.object({ text: z.string().optional() }))])
      .nullish()
      .transform((content) =>
        typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join(''),
      ),
    tool_calls: z.array(z.object({ id: z.string(), function: z.object({ name: z.string() }) })).default([]),
    tool_call_id: z.string().optional(),
  }),
);

/**
 * The raw text of the next reply, special tokens and all: what a Kimi K2 model with this office's tools
 * could say. It knows a handful of tasks by their words, and goes by what the tools returned.
 *
 * @param body a chat request of the OpenAI API
 */
export function speak(body: unknown): string {
  const { messages } = z.object({ messages: messagesSchema }).parse(body);
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  const calls = messages.flatMap(({ tool_calls }) => tool_calls);
  const names = new Map(calls.map((call) => [call.id, call.function.name]));
  const results = messages
    .slice(lastQuestion + 1)
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id = '', content }) => ({ name: names.get(tool_call_id) ?? '', text: content }));
  const question = messages[lastQuestion]?.content ?? '';
  return renderRaw(answer({ question, results }), calls.length);
}

function renderRaw({ thought, text = '', calls = [] }: Utterance, callsBefore: number): string {
  const rendered = calls.map(
    ([name, input], at) =>
      `<|tool_call_begin|>functions.${name}:${callsBefore + at}<|tool_call_argument_begin|>${JSON.stringify(input)}<|tool_call_end|>`,
  );
  const section =
    rendered.length > 0 ? `<|tool_calls_section_begin|>${rendered.join('')}<|tool_calls_section_end|>` : '';
  return `<think>${thought}</think>${text}${section}`;
}

function answer(heard: Heard): Utterance {
  const { question } = heard;
  if (/\border\b/i.test(question)) return placeOrder(heard);
  if (/\b(?:weather|pack|warm|cold|rain)/i.test(question)) return compareWeather(heard);
  if (/\bnotes?\b|\bremember\b/i.test(question)) return keepNotes(heard);
  if (/\d\s*[-+*/%^(]/.test(question)) return calculate(heard);
  return introduce();
}

function compareWeather({ question, results }: Heard): Utterance {
  const asked = cities.filter((city) => fold(question).includes(fold(city)));
  const unknown = question.match(/\bin ((?:\p{Lu}[\p{L}-]+ ?)+)/u)?.[1]?.trim();
  const wanted = asked.length > 0 ? asked : [unknown ?? 'Lisbon'];
  if (results.length === 0) {
    return {
      thought: `The user asks about ${wanted.join(' and ')}. I know no weather by heart, and guessing would not help anybody, so I look it up${wanted.length > 1 ? ', all cities side by side' : ''}.`,
      text: wanted.length > 1 ? 'I look at the cities side by side.' : '',
      calls: wanted.map((city) => ['get_weather', { city }] as const),
    };
  }
  const found = results.flatMap(({ text }) => {
    const weather = readJson<Weather>(text);
    return weather ? [weather] : [];
  });
  if (found.length === 0) {
    return {
      thought: 'The tool has no data for that place. I say so instead of making something up.',
      text: `I have no weather for ${wanted.join(' and ')}. I can look at ${cities.join(', ')}.`,
    };
  }
  const warmest = found.reduce((a, b) => (b.high > a.high ? b : a));
  const coldest = found.reduce((a, b) => (b.high < a.high ? b : a));
  const wet = found.filter(({ rain }) => rain > 0).map(({ city }) => city);
  return {
    thought: `I have the numbers now. ${warmest.city} is the warmest with ${warmest.high} degrees. A short table is easier to read than sentences.`,
    text: `Tomorrow:

| City | Sky | Low | High | Rain |
| --- | --- | ---: | ---: | ---: |
${found.map(({ city, sky, low, high, rain }) => `| ${city} | ${sky} | ${low} °C | ${high} °C | ${rain} mm |`).join('\n')}

${found.length > 1 ? `**${warmest.city}** is ${warmest.high - coldest.high} degrees warmer than ${coldest.city}. ` : ''}${wet.length > 0 ? `Take something against the wet in ${wet.join(' and ')}.` : 'No umbrella needed.'}`,
  };
}

function calculate({ question, results }: Heard): Utterance {
  const [result] = results;
  const expression = (question.match(/[\d(][\d\s.,+\-*/%^()]*/)?.[0] ?? '').replace(/[\s.,]+$/, '');
  if (!result) {
    return {
      thought: 'Arithmetic is for the calculator, not for me.',
      calls: [['calculator', { expression }]],
    };
  }
  const value = readJson<{ value: string }>(result.text)?.value;
  if (value === undefined) {
    return {
      thought: 'The calculator did not take it. I pass on why.',
      text: `That did not work: ${result.text}`,
    };
  }
  return { thought: 'There is the value.', text: `\`${expression}\` = **${value}**` };
}

function keepNotes({ question, results }: Heard): Utterance {
  const [result] = results;
  const said = question.match(/\b(?:note|remember)(?: down)? that (.+)/is)?.[1]?.replace(/\.$/, '');
  if (said !== undefined && !result) {
    const title = said.split(/\s+/).slice(0, 4).join(' ');
    return {
      thought: 'This is to be kept. I give it a short title, so that it is found again.',
      calls: [['write_note', { title: capitalise(title), text: `${capitalise(said)}.` }]],
    };
  }
  if (!result) {
    return { thought: 'I have to see the notes before I can tell.', calls: [['read_notes', {}]] };
  }
  const notes = readJson<{ notes?: { title: string; text: string }[] }>(result.text)?.notes;
  if (!notes) {
    return { thought: 'It is written down.', text: 'Noted. Ask for your notes whenever you need them.' };
  }
  return {
    thought: `There are ${notes.length} notes. I list them all.`,
    text: `You have ${notes.length} notes:\n\n${notes.map(({ title, text }) => `- **${title}**: ${text}`).join('\n')}`,
  };
}

const numberWords = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');

function readQuantity(question: string): number {
  const digits = question.match(/\d+/)?.[0];
  if (digits) return Math.min(Math.max(Number(digits), 1), 1_000);
  const word = numberWords.findIndex((name) => new RegExp(`\\b${name}\\b`, 'i').test(question));
  return word === -1 ? 10 : word + 1;
}

function placeOrder({ question, results }: Heard): Utterance {
  const quantity = readQuantity(question);
  const ordered = results.find(({ name }) => name === 'send_order');
  if (ordered) return reportOrder(ordered.text, quantity);
  const calculated = results.find(({ name }) => name === 'calculator');
  if (calculated) {
    const value = Number(readJson<{ value: string }>(calculated.text)?.value);
    const total = Number.isFinite(value) ? `${value.toFixed(2)} €` : 'unknown';
    return {
      thought:
        'Supplier, price and address are known. Sending the order costs money, so the user has to agree first; the tool asks for that.',
      text: `Together that is **${total}**. I prepare the order; it is sent once you agree.`,
      calls: [
        [
          'send_order',
          {
            supplier: 'Papier & Feder',
            item: 'Notebook',
            quantity,
            total,
            deliverTo: '4 Harbour Lane, first floor',
          },
        ],
      ],
    };
  }
  if (results.length > 0) {
    return {
      thought: `The notes name the supplier, Papier & Feder, and the price: 7.35 € before tax. ${quantity} pieces with 19 % tax on top.`,
      calls: [['calculator', { expression: `${quantity} * 7.35 * 1.19` }]],
    };
  }
  return {
    thought:
      'An order needs a supplier, a price and an address. The user names none of them, but the notes may. I look there first.',
    text: 'Let me look into your notes for the supplier.',
    calls: [['read_notes', {}]],
  };
}

function reportOrder(text: string, quantity: number): Utterance {
  const order = readJson<{ order: string; sentTo: string }>(text);
  if (!order?.order) {
    return {
      thought: 'The order was not sent. That is for the user to decide, and I do not try again by myself.',
      text: 'I have **not** sent the order. Tell me if something about it should change.',
    };
  }
  return {
    thought: 'It went through. I confirm with the number.',
    text: `Order **${order.order}** is on its way to ${order.sentTo}: ${quantity} notebooks, to be delivered to 4 Harbour Lane.`,
  };
}

function introduce(): Utterance {
  return {
    thought:
      'This is none of the tasks that I have a script for. The honest answer is to say what I am, and what can be asked.',
    text: `I am a pretend model: my replies come from a script, so that everything here works without a key. The tools are real, though. Ask me

- to **compare the weather** in Lisbon and Oslo,
- to **calculate** something like \`12 * 7.35 * 1.19\`,
- to **note that** something is to be remembered, or what your **notes** say,
- to **order** twelve notebooks, which needs your approval.`,
  };
}

function readJson<Value>(text: string): Value | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Value) : undefined;
  } catch {
    return undefined;
  }
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
