import { checkKeys, readString } from './arguments.ts';
import { type Folder, pathLimit } from './folder.ts';
import { type Tool, ToolError } from './tool.ts';

/** Lines that the model gets. */
const matchLimit = 100;

/** UTF-16 units of one line that the model gets. */
const lineLimit = 200;

/** Bytes of one file that are searched. */
const sizeLimit = 1024 * 1024;

export function createSearchText(folder: Folder): Tool {
  return {
    name: 'search_text',
    description:
      'Find the lines that contain a text, exactly as written, in all files below a folder of the project.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'The text to find. Not a regular expression.' },
        path: { type: 'string', description: "A folder, from the project's root. Default: the root itself." },
      },
      required: ['query'],
    },
    async run(args, signal) {
      checkKeys(args, ['query', 'path']);
      const query = readString(args.query, 'query', lineLimit);
      if (query.includes('\n')) throw new ToolError('query: expected a single line');
      const path = args.path === undefined ? '.' : readString(args.path, 'path', pathLimit);
      const matches: string[] = [];
      const files = new Set<string>();
      for (const entry of await folder.walk(path, signal)) {
        signal.throwIfAborted();
        if (entry.kind !== 'file') continue;
        for (const line of await searchFile(folder, entry.path, query)) {
          matches.push(line);
          files.add(entry.path);
        }
        if (matches.length > matchLimit) break;
      }
      const more = matches.length > matchLimit ? ['[there are more; use a longer text or a folder]'] : [];
      return {
        text: [...matches.slice(0, matchLimit), ...more].join('\n') || '[no line contains it]',
        summary: `${matches.length} ${matches.length === 1 ? 'line' : 'lines'} in ${files.size} ${files.size === 1 ? 'file' : 'files'}`,
      };
    },
  };
}

async function searchFile(folder: Folder, path: string, query: string): Promise<string[]> {
  let text: string;
  try {
    ({ text } = await folder.readText(path, sizeLimit));
  } catch (error) {
    if (error instanceof ToolError) return []; // not a text file, or gone since it was listed
    throw error;
  }
  return text.split('\n').flatMap((line, index) => {
    return line.includes(query) ? [`${path}:${index + 1}: ${line.trim().slice(0, lineLimit)}`] : [];
  });
}
