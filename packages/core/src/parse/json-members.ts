/**
 * The parts of a JSON array or object at its first level, cut out as they were written.
 * @param text valid JSON text of an array or object
 */
export function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') {
      if (depth++ === 0) start = at + 1;
    } else if (char === '}' || char === ']' ? --depth === 0 : depth === 1 && (char === ',' || char === ':')) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts.length === 1 && parts[0] === '' ? [] : parts;
}

/** The members of a JSON object: key to the text of its value. The last of equal keys counts, as in `JSON.parse`. */
export function memberValues(text: string): Map<string, string> {
  const parts = splitTopLevel(text);
  const members = new Map<string, string>();
  for (let i = 0; i + 1 < parts.length; i += 2)
    members.set(JSON.parse(parts[i] as string), parts[i + 1] as string);
  return members;
}
