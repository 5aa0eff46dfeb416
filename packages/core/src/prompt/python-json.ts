import { expectOption } from '../kimi-error.ts';

/** One of the spellings of Python's `json.dumps` that the templates use. */
export interface JsonSpelling {
  comma: string;
  colon: string;
  /** Keys in the order of their code points, at every depth; else as JavaScript keeps them. */
  sorted: boolean;
}

/** Tools as JSON. */
export const COMPACT: JsonSpelling = { comma: ',', colon: ':', sorted: true };
/** Arguments that were given as an object. */
export const SPACED: JsonSpelling = { comma: ', ', colon: ': ', sorted: false };

/** Orders texts as Python does, by code point; UTF-16 units put U+FFxx behind an emoji. */
function compareCodePoints(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const difference = (a.codePointAt(at) as number) - (b.codePointAt(at) as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Keys that have a value, sorted by code point. */
export function sortedKeys(object: object): string[] {
  return definedKeys(object).sort(compareCodePoints);
}

function definedKeys(object: object): string[] {
  return Object.entries(object).flatMap(([key, value]) => (value === undefined ? [] : [key]));
}

/**
 * A number as Python prints it: exponents have two digits, and begin below 1e-4.
 * Whether JSON said `1` or `1.0` is lost in JavaScript; it prints as `1`.
 */
export function printNumber(value: number): string {
  const digits = value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
  return digits.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** What is left to print: text, or a value. `leave` is an object whose inside has been printed. */
type Step = { text: string; leave?: object } | { value: unknown };

/**
 * Prints a JSON value as Python does with `ensure_ascii=False`. Lone surrogates, which Python would
 * fail to send, are escaped. Not recursive: any depth prints.
 *
 * @param field names the value in errors
 * @throws KimiError for what JSON cannot hold: cycles, functions, bigints, NaN
 */
export function printJson(root: unknown, { comma, colon, sorted }: JsonSpelling, field: string): string {
  const around = new Set<unknown>();
  /** The next one last. */
  const steps: Step[] = [{ value: root }];
  let json = '';
  for (let step = steps.pop(); step; step = steps.pop()) {
    if ('text' in step) {
      json += step.text;
      if (step.leave) around.delete(step.leave);
      continue;
    }
    const { value = null } = step;
    const isScalar = value === null || typeof value === 'string' || typeof value === 'boolean';
    const isData = isScalar || Number.isFinite(value) || (typeof value === 'object' && !around.has(value));
    expectOption(isData, field, 'JSON data without cycles', value);
    if (typeof value === 'number') json += printNumber(value);
    else if (typeof value !== 'object' || value === null) json += JSON.stringify(value);
    else {
      const keys = sorted ? sortedKeys(value) : definedKeys(value);
      const parts: [label: string, part: unknown][] = Array.isArray(value)
        ? Array.from(value, (item) => ['', item])
        : keys.map((key) => [JSON.stringify(key) + colon, value[key as keyof typeof value]]);
      around.add(value);
      json += Array.isArray(value) ? '[' : '{';
      steps.push({ text: Array.isArray(value) ? ']' : '}', leave: value });
      for (let at = parts.length - 1; at >= 0; at--) {
        const [label, part] = parts[at] as [string, unknown];
        steps.push({ value: part }, { text: (at > 0 ? comma : '') + label });
      }
    }
  }
  return json;
}
