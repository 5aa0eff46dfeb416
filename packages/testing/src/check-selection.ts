/** Names that an option may list. */
export type KnownNames = Readonly<Record<string, readonly string[]>>;

/**
 * Refuses a selection that names what there is none of, as it would select less than was meant, or
 * nothing, and what plays nothing cannot fail.
 *
 * @throws TypeError naming the option, the name, and the names there are
 */
export function checkSelection(selection: object, known: KnownNames): void {
  for (const [option, names] of Object.entries(known)) {
    const chosen: unknown = (selection as Record<string, unknown>)[option];
    if (chosen === undefined) continue;
    if (!Array.isArray(chosen) || chosen.length === 0) {
      throw new TypeError(`${option}: expected a list of at least one of ${names.join(', ')}`);
    }
    const unknown = chosen.find((name) => !names.includes(name));
    if (unknown !== undefined) {
      throw new TypeError(`${option}: there is no ${JSON.stringify(unknown)}, only ${names.join(', ')}`);
    }
  }
}
