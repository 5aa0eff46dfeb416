/** A value as JSON; what JSON cannot hold (a cycle, or too deep to be written) as text that is none. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return Object.prototype.toString.call(value);
  }
}
