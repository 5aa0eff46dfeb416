/**
 * Wrong use of this library: an option, argument or call order that the documentation rules out.
 * What a model or a server sends never causes one; that becomes a `problem` event instead.
 */
export class KimiError extends Error {
  /** The option or argument that was wrong, e.g. `tools[2].function.name`. */
  readonly option: string;

  constructor(option: string, message: string) {
    super(message);
    this.name = 'KimiError';
    this.option = option;
  }
}

/** Throws unless `holds`; the message names the option, what was expected, and the type that came. */
export function expectOption(holds: boolean, option: string, expected: string, value: unknown): void {
  if (holds) return;
  const got =
    typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : value === null ? 'null' : typeof value;
  throw new KimiError(option, `${option}: expected ${expected}, got ${got}`);
}

/** The same for what has to be an object. */
export function expectObject(option: string, value: unknown): void {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  expectOption(isObject, option, 'an object', value);
}
