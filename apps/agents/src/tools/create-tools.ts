import { createCalculator } from './calculator.ts';
import { openFolder } from './folder.ts';
import { createListFiles } from './list-files.ts';
import { createReadFile } from './read-file.ts';
import { createSearchText } from './search-text.ts';
import type { Tool } from './tool.ts';

/**
 * All tools of the agent.
 *
 * @param root the folder that the model may look into
 */
export async function createTools(root: string): Promise<readonly Tool[]> {
  const folder = await openFolder(root);
  return [createListFiles(folder), createReadFile(folder), createSearchText(folder), createCalculator()];
}
