import { type Delta, MOST_DELTAS } from './reply.ts';

/** The place between two deltas. */
export interface Cut {
  /** Position among the deltas of the one in front. */
  index: number;
  /** UTF-16 units of the reply in front of it. */
  at: number;
  /** How far it can go: each side keeps one unit. */
  min: number;
  max: number;
  /** Both sides are text of one field, so that the server might have cut elsewhere. */
  movable: boolean;
}

type TextDelta = Extract<Delta, { text: string }>;

const isText = (delta: Delta | undefined): delta is TextDelta => delta !== undefined && 'text' in delta;
const lengthOf = (delta: Delta) => (isText(delta) ? delta.text.length : 0);

function fits(one: Delta | undefined, next: Delta | undefined): boolean {
  return isText(one) && isText(next) && one.channel === next.channel;
}

/** All places between deltas, in their order. */
export function cutsOf(deltas: readonly Delta[]): Cut[] {
  let at = 0;
  return deltas.slice(0, -1).map((delta, index) => {
    const next = deltas[index + 1] as Delta;
    const min = at + 1;
    at += lengthOf(delta);
    const max = at + lengthOf(next) - 1;
    return { index, at, min, max, movable: fits(delta, next) && min <= max };
  });
}

/** Moves a cut; it stays between its neighbours. What cannot move stays where it is. */
export function moveCut(deltas: readonly Delta[], index: number, at: number): readonly Delta[] {
  const cut = cutsOf(deltas)[index];
  const [front, back] = [deltas[index], deltas[index + 1]];
  if (!cut?.movable || !isText(front) || !isText(back)) return deltas;
  const text = front.text + back.text;
  const length = Math.min(Math.max(at, cut.min), cut.max) - (cut.min - 1);
  return deltas.toSpliced(
    index,
    2,
    { ...front, text: text.slice(0, length) },
    { ...back, text: text.slice(length) },
  );
}

/** Ends a delta at a place; nothing changes where one ends already. */
export function addCut(deltas: readonly Delta[], at: number): readonly Delta[] {
  if (deltas.length >= MOST_DELTAS) return deltas;
  let start = 0;
  for (const [index, delta] of deltas.entries()) {
    const inside = at - start;
    start += lengthOf(delta);
    if (!isText(delta) || inside <= 0 || inside >= delta.text.length) continue;
    const halves = [delta.text.slice(0, inside), delta.text.slice(inside)];
    return deltas.toSpliced(index, 1, ...halves.map((text) => ({ ...delta, text })));
  }
  return deltas;
}

/** Joins the two deltas at a cut, if they are text of one field. */
export function removeCut(deltas: readonly Delta[], index: number): readonly Delta[] {
  const [front, back] = [deltas[index], deltas[index + 1]];
  if (!isText(front) || !isText(back) || front.channel !== back.channel) return deltas;
  return deltas.toSpliced(index, 2, { ...front, text: front.text + back.text });
}

/** No cuts but those between fields and calls; empty deltas vanish. */
export function joinDeltas(deltas: readonly Delta[]): Delta[] {
  const joined: Delta[] = [];
  let pieces: string[] = [];
  for (const [index, delta] of deltas.entries()) {
    if (!isText(delta)) {
      joined.push(delta);
      continue;
    }
    pieces.push(delta.text);
    const next = deltas[index + 1];
    if (fits(delta, next)) continue;
    const text = pieces.join('');
    pieces = [];
    if (text !== '') joined.push({ ...delta, text });
  }
  return joined;
}

/** Cuts anew, after every so many units of a field; more units where there would be too many deltas. */
export function cutEvery(deltas: readonly Delta[], units: number): Delta[] {
  const joined = joinDeltas(deltas);
  const length = joined.reduce((sum, delta) => sum + lengthOf(delta), 0);
  const step = Math.max(1, units, Math.ceil(length / (MOST_DELTAS - joined.length)));
  return joined.flatMap((delta): Delta[] => {
    if (!isText(delta)) return [delta];
    const pieces = Math.ceil(delta.text.length / step);
    return Array.from({ length: pieces }, (_, piece) => ({
      ...delta,
      text: delta.text.slice(piece * step, (piece + 1) * step),
    }));
  });
}
