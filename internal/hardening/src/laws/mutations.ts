import fc from 'fast-check';
import { ALIEN, marker, onContent, type Part, PROSE, think, UNSEEN } from './k2-text.ts';
import { isText } from './reply.ts';

/** One thing done to a reply; places count modulo what is there. */
export interface Mutation {
  kind:
    | 'drop'
    | 'repeat'
    | 'swap'
    | 'insert'
    | 'insert-inside'
    | 'cut-part'
    | 'cut-rest'
    | 'case'
    | 'channel';
  at: number;
  /** Another place, or a place inside of the part. */
  to: number;
  text: string;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom<Mutation['kind']>(
    'drop',
    'repeat',
    'swap',
    'insert',
    'insert-inside',
    'cut-part',
    'cut-rest',
    'case',
    'channel',
  ),
  at: fc.nat(999),
  to: fc.nat(999),
  text: fc.oneof(
    { weight: 4, arbitrary: marker },
    { weight: 2, arbitrary: think },
    { weight: 2, arbitrary: fc.constantFrom(...UNSEEN) },
    { weight: 1, arbitrary: fc.constantFrom(...ALIEN) },
    { weight: 1, arbitrary: fc.constantFrom(...PROSE) },
    { weight: 1, arbitrary: fc.constantFrom('"', '\\', '\\"', ',', ':', '[', '{"', '"}') },
  ),
});

export function mutate(parts: readonly Part[], { kind, at, to, text }: Mutation): Part[] {
  if (parts.length === 0) return onContent(text);
  const place = at % parts.length;
  const part = parts[place] as Part;
  const other = to % parts.length;
  const put = (...instead: Part[]) => [...parts.slice(0, place), ...instead, ...parts.slice(place + 1)];
  switch (kind) {
    case 'drop':
      return put();
    case 'repeat':
      return put(part, part);
    case 'swap':
      return parts.map((each, i) => (i === place ? (parts[other] as Part) : i === other ? part : each));
    case 'insert':
      return put([isText(part) ? part[0] : 'content', text], part);
    case 'cut-rest':
      return parts.slice(0, place + 1);
  }
  if (!isText(part)) return [...parts];
  const [of, written] = part;
  const inside = to % (written.length + 1);
  switch (kind) {
    case 'insert-inside':
      return put([of, written.slice(0, inside) + text + written.slice(inside)]);
    case 'cut-part':
      return put([of, to % 2 === 0 ? written.slice(0, inside) : written.slice(inside)]);
    case 'case':
      return put([
        of,
        to % 2 === 0 ? written.toUpperCase() : written.slice(0, inside) + written.slice(inside).toUpperCase(),
      ]);
    case 'channel':
      return put([of === 'content' ? 'reasoning' : 'content', written]);
  }
}
