import { hermesProtocol } from '@ai-sdk-tool/parser';
import { createParser, type KimiEvent, type ToolDefinition } from '@kimi-tc/core';
import type { Fixture } from './fixtures.ts';
import { cutIntoDeltas, toChunkLines } from './fixtures.ts';
import { readWhole } from './regex-reader.ts';

export type ContenderName = 'callback' | 'parser' | 'json-parse' | 'regex' | 'hermes';

/** Reads one whole reply, delta by delta. */
export interface Reading {
  /** How many deltas there are. */
  deltas: number;
  /** `read` returns a promise. */
  async: boolean;
  /**
   * Reads the reply once.
   * @param until the time, as of `performance.now()`, after which it gives up
   * @returns how many deltas were read
   */
  read(until: number): number | Promise<number>;
}

/** Stands for the application: takes all that is read, so that no work can be left out. */
export const sink = { units: 0, events: 0 };

function onDelta(delta: string): void {
  sink.units += delta.length;
}

function onEvent(event: KimiEvent): void {
  sink.events++;
  if ('delta' in event) sink.units += event.delta.length;
}

interface Chunk {
  choices: { delta: { content: string } }[];
}

/** How many deltas pass between two looks at the clock, where reading may be given up. */
const DELTAS_PER_LOOK = 16;

function callback(deltas: readonly string[]): Reading {
  return {
    deltas: deltas.length,
    async: false,
    read() {
      for (const delta of deltas) onDelta(delta);
      return deltas.length;
    },
  };
}

function parser(deltas: readonly string[], tools: readonly ToolDefinition[]): Reading {
  return {
    deltas: deltas.length,
    async: false,
    read() {
      const parser = createParser({ tools, onEvent });
      for (const delta of deltas) parser.feed(delta);
      parser.end('stop');
      return deltas.length;
    },
  };
}

function jsonParse(deltas: readonly string[]): Reading {
  const lines = toChunkLines(deltas);
  return {
    deltas: deltas.length,
    async: false,
    read() {
      for (const line of lines) {
        const chunk = JSON.parse(line) as Chunk;
        onDelta((chunk.choices[0] as Chunk['choices'][number]).delta.content);
      }
      return lines.length;
    },
  };
}

function regex(deltas: readonly string[]): Reading {
  return {
    deltas: deltas.length,
    async: false,
    read(until) {
      let text = '';
      for (let at = 0; at < deltas.length; at++) {
        text += deltas[at];
        sink.events += readWhole(text).toolCalls.length;
        if (at % DELTAS_PER_LOOK === 0 && performance.now() > until) return at;
      }
      return deltas.length;
    },
  };
}

type StreamParser = ReturnType<ReturnType<typeof hermesProtocol>['createStreamParser']>;
export type HermesPart = StreamParser extends TransformStream<unknown, infer Part> ? Part : never;

/** Streams a reply in the Hermes format through the AI SDK parser of the community. */
export async function readHermes(
  deltas: readonly string[],
  offered: readonly ToolDefinition[],
  until: number,
  onPart: (part: HermesPart) => void,
): Promise<number> {
  const tools = offered.map(({ function: { name, description, parameters } }) => ({
    type: 'function' as const,
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: parameters ?? {},
  }));
  let at = 0;
  const source = new ReadableStream<HermesPart>({
    pull(controller) {
      const over = at >= deltas.length || (at % DELTAS_PER_LOOK === 0 && performance.now() > until);
      if (!over) {
        controller.enqueue({ type: 'text-delta', id: '0', delta: deltas[at++] as string });
        return;
      }
      controller.enqueue({
        type: 'finish',
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 0, text: 0, reasoning: 0 },
        },
      });
      controller.close();
    },
  });
  const parts = source.pipeThrough(hermesProtocol().createStreamParser({ tools })).getReader();
  for (let part = await parts.read(); !part.done; part = await parts.read()) onPart(part.value);
  return at;
}

function hermes(deltas: readonly string[], tools: readonly ToolDefinition[]): Reading {
  const onPart = (part: HermesPart) => {
    sink.events++;
    if ('delta' in part) sink.units += part.delta.length;
  };
  return { deltas: deltas.length, async: true, read: (until) => readHermes(deltas, tools, until, onPart) };
}

/** Makes all inputs ready: none of this is timed. */
export function createReadings(fixture: Fixture, deltaLength: number): Map<ContenderName, Reading> {
  const deltas = cutIntoDeltas(fixture.text, deltaLength);
  const readings = new Map<ContenderName, Reading>([
    ['callback', callback(deltas)],
    ['parser', parser(deltas, fixture.tools)],
    ['json-parse', jsonParse(deltas)],
    ['regex', regex(deltas)],
  ]);
  if (fixture.hermes !== undefined) {
    readings.set('hermes', hermes(cutIntoDeltas(fixture.hermes, deltaLength), fixture.tools));
  }
  return readings;
}
