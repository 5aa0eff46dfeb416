import { createAssembler, createParser, type KimiTurn } from '@kimi-tc/core';
import { describe, expect, it } from 'vitest';
import { createReadings, readHermes, sink } from './contenders.ts';
import { createFixtures, cutIntoDeltas, DELTA_LENGTHS, type Fixture, toChunkLines } from './fixtures.ts';
import { readWhole } from './regex-reader.ts';

/** Reading anew on each delta takes minutes beyond this many units times deltas. */
const MOST_REREAD = 1e9;

function parseInDeltas(fixture: Fixture, deltas: readonly string[]): KimiTurn {
  const assembler = createAssembler();
  const parser = createParser({ tools: fixture.tools, onEvent: assembler.push });
  for (const delta of deltas) parser.feed(delta);
  parser.end(fixture.turn.finishReason.raw);
  return assembler.turn;
}

const callsOf = ({ turn }: Fixture) =>
  turn.toolCalls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown }));

describe.each(createFixtures().map((fixture) => [fixture.name, fixture] as const))('%s', (_, fixture) => {
  it.each(DELTA_LENGTHS)('is read by the parser as the expected turn, by %i units', (length) => {
    const turn = parseInDeltas(fixture, cutIntoDeltas(fixture.text, length));
    expect(turn).toEqual(fixture.turn);
  });

  it.each(DELTA_LENGTHS)('arrives whole in the chunks, by %i units', (length) => {
    const contents = toChunkLines(cutIntoDeltas(fixture.text, length)).map(
      (line) => JSON.parse(line).choices[0].delta.content,
    );
    expect(contents.join('') === fixture.text).toBe(true);
  });

  it('is read by the regular expressions', () => {
    const { reasoning, content, toolCalls } = readWhole(fixture.text);
    const { turn } = fixture;
    expect({ reasoning, content, toolCalls }).toEqual({
      reasoning: turn.reasoning,
      content: turn.content,
      toolCalls: turn.toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    });
  });

  const { hermes = '' } = fixture;
  const feasible = DELTA_LENGTHS.filter(
    (length) => hermes !== '' && hermes.length ** 2 / length < MOST_REREAD,
  );
  it.each(feasible)('is read by the Hermes parser, by %i units', async (length) => {
    const deltas = cutIntoDeltas(hermes, length);
    const calls: { name: string; arguments: unknown }[] = [];
    let text = '';
    const read = await readHermes(deltas, fixture.tools, Infinity, (part) => {
      if (part.type === 'text-delta') text += part.delta;
      if (part.type === 'tool-call') calls.push({ name: part.toolName, arguments: JSON.parse(part.input) });
    });
    expect(read).toBe(deltas.length);
    expect(calls).toEqual(callsOf(fixture));
    expect(text.trim()).toBe(fixture.turn.content);
  });

  it('is handed on whole, delta by delta, by everyone who hands on at once', async () => {
    for (const [name, reading] of createReadings(fixture, 64)) {
      if (name === 'regex' || name === 'hermes') continue;
      sink.units = 0;
      expect(await reading.read(Infinity), name).toBe(reading.deltas);
      const { reasoning, content, toolCalls } = fixture.turn;
      const args = toolCalls.reduce((sum, call) => sum + call.arguments.length, 0);
      const visible = reasoning.length + content.length + args;
      expect(sink.units, name).toBe(name === 'parser' ? visible : fixture.text.length);
    }
  });
});
