import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep, win32 } from 'node:path';
import { ToolError } from './tool.ts';

/** Longest path the model may name, in UTF-16 units. */
export const pathLimit = 500;

/** Folders that hold nothing the model should read. */
const skippedFolders = new Set(['node_modules', '.git']);

/** Entries that one walk visits at most. */
const walkLimit = 5_000;

export interface FileText {
  readonly text: string;
  /** Bytes of the file, those that were not read included. */
  readonly size: number;
  /** Whether the file is longer than what was read. */
  readonly cut: boolean;
}

export interface Entry {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/**
 * A folder that the model may look into, and nothing beside it. Paths are relative to the folder;
 * absolute ones, `..`, and links that lead out are refused.
 */
export interface Folder {
  /**
   * @param limit most bytes that are read
   * @throws ToolError if there is no such text file in the folder
   */
  readText(path: string, limit: number): Promise<FileText>;
  /**
   * Everything below a path, sorted; links are not followed.
   *
   * @throws ToolError if there is no such folder in the folder
   */
  walk(path: string, signal: AbortSignal): Promise<Entry[]>;
}

/**
 * @param root must exist
 */
export async function openFolder(root: string): Promise<Folder> {
  const base = await realpath(root);

  /** Where a path really leads, all links followed. */
  async function resolveInside(path: string): Promise<string> {
    refuseShape(path);
    const target = await realpath(join(base, path)).catch((error: unknown) => {
      throw explain(error, path);
    });
    const inside = relative(base, target);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      throw new ToolError(`${path}: leads out of the project`);
    }
    return target;
  }

  return {
    async readText(path, limit) {
      const target = await resolveInside(path);
      // What stands there now must be the file that was just looked at, and opening it must not wait.
      const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
      const file = await open(target, flags).catch((error: unknown) => {
        throw explain(error, path);
      });
      try {
        const info = await file.stat();
        if (info.isDirectory()) throw new ToolError(`${path}: is a folder; list_files shows what is in it`);
        if (!info.isFile()) throw new ToolError(`${path}: is not a regular file`);
        const bytes = Buffer.alloc(Math.min(info.size, limit));
        const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
        return { text: toText(bytes.subarray(0, bytesRead), path), size: info.size, cut: info.size > limit };
      } finally {
        await file.close();
      }
    },

    async walk(path, signal) {
      const start = await resolveInside(path);
      if (!(await stat(start)).isDirectory()) throw new ToolError(`${path}: is not a folder`);
      const entries: Entry[] = [];
      const visit = async (folder: string): Promise<void> => {
        signal.throwIfAborted();
        const found = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
          if (folder === start) throw explain(error, path);
          return []; // one folder that may not be read does not hide the others
        });
        found.sort((a, b) => (a.name < b.name ? -1 : 1));
        for (const entry of found) {
          if (entries.length >= walkLimit) return;
          const full = join(folder, entry.name);
          const inside = relative(base, full).split(sep).join('/');
          if (entry.isFile()) entries.push({ path: inside, kind: 'file' });
          if (!entry.isDirectory() || skippedFolders.has(entry.name)) continue;
          entries.push({ path: inside, kind: 'folder' });
          await visit(full);
        }
      };
      await visit(start);
      return entries;
    },
  };
}

/** Refuses by the looks of a path, before the file system is asked. */
function refuseShape(path: string): void {
  if (path.includes('\0')) throw new ToolError('a path cannot hold a null character');
  if (isAbsolute(path) || win32.parse(path).root !== '') {
    throw new ToolError(`${path}: absolute paths are refused; give one that starts at the project's root`);
  }
  if (path.split(/[\\/]/).includes('..')) throw new ToolError(`${path}: '..' is refused in paths`);
}

function explain(error: unknown, path: string): unknown {
  const { code } = error as { code?: string };
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ToolError(`${path}: there is no such file or folder; list_files shows what there is`);
  }
  if (code === 'EACCES' || code === 'EPERM') return new ToolError(`${path}: may not be read`);
  if (code === 'ELOOP') return new ToolError(`${path}: is a link that leads nowhere`);
  if (code === 'ENAMETOOLONG') return new ToolError('the path is too long');
  if (code === 'ENXIO') return new ToolError(`${path}: is not a regular file`);
  return error;
}

function toText(bytes: Uint8Array, path: string): string {
  if (bytes.includes(0)) throw new ToolError(`${path}: is not a text file`);
  return new TextDecoder().decode(bytes);
}
