import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDocuments, root } from './read-documents.ts';

/** Links to elsewhere in the repository, of text outside of code. */
const links = readDocuments().flatMap(({ file, text }) =>
  [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => ({ file, target }))
    .filter(({ target }) => !/^(?:https?|mailto):/.test(target)),
);

/** The anchor that a heading is found by. */
function toAnchor(heading: string): string {
  return heading
    .replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

function findFault(file: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  const place = join(root, path === '' ? file : normalize(join(dirname(file), path)));
  if (!existsSync(place)) return `there is no ${path}`;
  if (anchor === undefined || !statSync(place).isFile() || !place.endsWith('.md')) return undefined;
  const anchors = [...readFileSync(place, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    toAnchor(heading),
  );
  return anchors.includes(anchor) ? undefined : `${path} has no heading #${anchor}`;
}

describe('the links of the documents', () => {
  test('are found', () => {
    expect(links.length).toBeGreaterThan(50);
  });

  test('lead somewhere', () => {
    const broken = links.flatMap(({ file, target }) => {
      const fault = findFault(file, target);
      return fault === undefined ? [] : [`${file}: ${fault}`];
    });
    expect(broken).toEqual([]);
  });

  test('are missed where they do not', () => {
    expect(findFault('README.md', 'docs/nothing.md')).toBe('there is no docs/nothing.md');
    expect(findFault('README.md', 'docs/recovery.md#nothing')).toBe(
      'docs/recovery.md has no heading #nothing',
    );
  });
});
