import { checkKeys, readString } from './arguments.ts';
import { type Folder, pathLimit } from './folder.ts';
import type { Tool } from './tool.ts';

/** Entries that the model gets. */
const entryLimit = 300;

export function createListFiles(folder: Folder): Tool {
  return {
    name: 'list_files',
    description: 'List all files and folders below a folder of the project.',
    parameters: {
      type: 'object',
      properties: {
        path: {
          type: 'string',
          description: "The folder, from the project's root. Default: the root itself.",
        },
      },
    },
    async run(args, signal) {
      checkKeys(args, ['path']);
      const path = args.path === undefined ? '.' : readString(args.path, 'path', pathLimit);
      const entries = await folder.walk(path, signal);
      const shown = entries
        .slice(0, entryLimit)
        .map((entry) => (entry.kind === 'folder' ? `${entry.path}/` : entry.path));
      const left = entries.length - shown.length;
      if (left > 0) shown.push(`[${left} more; list a folder below this one]`);
      return {
        text: shown.join('\n') || '[the folder is empty]',
        summary: `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`,
      };
    },
  };
}
