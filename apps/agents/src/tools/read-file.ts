import { checkKeys, readObject, readString } from './arguments.ts';
import { type Folder, pathLimit } from './folder.ts';
import { type Tool, ToolError } from './tool.ts';

/** Files that one call may read. */
const fileLimit = 10;

/** Bytes of one file that the model gets. */
const sizeLimit = 48 * 1024;

/** Reads several files at once, in the form in which K2 models were seen to call it. */
export function createReadFile(folder: Folder): Tool {
  return {
    name: 'read_file',
    description: `Read text files of the project, up to ${fileLimit} in one call.`,
    parameters: {
      type: 'object',
      properties: {
        args: {
          type: 'array',
          description: 'The files to read.',
          items: {
            type: 'object',
            properties: {
              path: { type: 'string', description: "From the project's root, e.g. src/app/page.tsx." },
            },
            required: ['path'],
          },
        },
      },
      required: ['args'],
    },
    async run(args) {
      const results = await Promise.all(readPaths(args).map((path) => readOne(folder, path)));
      const failed = results.filter(({ lines }) => lines === undefined).length;
      const text = results.map((result) => result.text).join('\n\n');
      if (failed === results.length) throw new ToolError(text);
      const lines = results.reduce((sum, result) => sum + (result.lines ?? 0), 0);
      const files = count(results.length - failed, 'file');
      const refused = failed === 0 ? '' : `, ${failed} could not be read`;
      return { text, summary: `${files}, ${count(lines, 'line')}${refused}` };
    },
  };
}

function readPaths(args: Readonly<Record<string, unknown>>): string[] {
  checkKeys(args, ['args']);
  const list = args.args;
  if (!Array.isArray(list) || list.length === 0) {
    throw new ToolError('args: expected a list of files, like [{"path": "src/app/page.tsx"}]');
  }
  if (list.length > fileLimit) throw new ToolError(`args: at most ${fileLimit} files in one call`);
  return list.map((item, index) => {
    const file = readObject(item, `args[${index}]`);
    checkKeys(file, ['path'], `args[${index}].`);
    return readString(file.path, `args[${index}].path`, pathLimit);
  });
}

/** One file that cannot be read does not take the others with it. */
async function readOne(folder: Folder, path: string): Promise<{ text: string; lines?: number }> {
  try {
    const { text, size, cut } = await folder.readText(path, sizeLimit);
    const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
    const rest = cut
      ? `\n[the first ${sizeLimit} of ${size} bytes; search_text finds lines in the rest]`
      : '';
    return { text: `=== ${path} ===\n${text}${rest}`, lines };
  } catch (error) {
    if (error instanceof ToolError) return { text: `=== ${path} ===\nerror: ${error.message}` };
    throw error;
  }
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
