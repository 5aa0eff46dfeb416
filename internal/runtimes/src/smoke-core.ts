import { createAssembler, type KimiTurn, type PromptMessage, renderPrompt } from '@kimi-tc/core';
import { KimiParserStream, parseStream } from '@kimi-tc/core/stream';
import { answer, callWeather, expectEqual, prompt, script, weather } from './task.ts';

/**
 * Completes the task with the core alone: prompts are written, and streams of raw text are read, once
 * by the iterator and once by the transform. It needs no network.
 *
 * @throws Error saying what came instead
 */
export async function smokeCore(): Promise<void> {
  const messages: PromptMessage[] = [...prompt.messages];
  const first = await readByIterator(complete(renderPrompt({ ...prompt, messages })));
  expectEqual('core: finish', first.finishReason.unified, 'tool-calls');
  const [call] = first.toolCalls;
  if (!call || first.toolCalls.length > 1) throw new Error(`core: ${first.toolCalls.length} calls`);
  expectEqual('core: call', [call.name, call.id], [callWeather.name, callWeather.id]);
  messages.push(
    {
      role: 'assistant',
      content: first.content,
      reasoning_content: first.reasoning,
      tool_calls: [{ id: call.id, function: { name: call.name, arguments: call.arguments } }],
    },
    { role: 'tool', tool_call_id: call.id, content: weather(call.arguments) },
  );
  const last = await readByTransform(complete(renderPrompt({ ...prompt, messages })));
  expectEqual('core: answer', [last.finishReason.unified, last.content, last.problems], ['stop', answer, []]);
}

/** A model that answers once the result stands in its prompt, three code units at a time. */
function complete(text: string): ReadableStream<string> {
  const reply = text.includes(`## Return of ${callWeather.id}\n7 °C`) ? script[1] : script[0];
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= reply.length) controller.close();
      else controller.enqueue(reply.slice(at, at + 3));
      at += 3;
    },
  });
}

async function readByIterator(text: ReadableStream<string>): Promise<KimiTurn> {
  const assembler = createAssembler();
  for await (const event of parseStream(text, { finishReason: 'stop' })) assembler.push(event);
  return assembler.turn;
}

async function readByTransform(text: ReadableStream<string>): Promise<KimiTurn> {
  const assembler = createAssembler();
  const reader = text.pipeThrough(new KimiParserStream({ finishReason: 'stop' })).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) assembler.push(next.value);
  return assembler.turn;
}
