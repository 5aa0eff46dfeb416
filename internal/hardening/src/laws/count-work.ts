import { Session } from 'node:inspector';

// Time is no measure for a test: how long something takes depends on what else the machine does. This counts instead:
// how often each block of the parser's code ran, as V8 counts it, and how many units the built-in searches passed.

interface CoverageResult {
  result: { url: string; functions: { ranges: { count: number }[] }[] }[];
}

/** A search in a text, as a method of strings or regular expressions. */
type Method = (this: unknown, ...args: unknown[]) => unknown;

/** How many units a search from `from` on passed. */
function passed(text: string, from: unknown, found: number): number {
  const start = Math.min(typeof from === 'number' ? from : 0, text.length);
  return Math.max(0, found < 0 ? text.length - start : found - start) + 1;
}

/** Counts the units that searches pass while they are wrapped. */
function wrapSearches(add: (units: number) => void): () => void {
  const strings = String.prototype as unknown as Record<string, Method>;
  const patterns = RegExp.prototype as unknown as Record<string, Method>;
  const { indexOf, lastIndexOf, trim, trimStart, trimEnd, split } = strings;
  const { exec } = patterns;
  strings.indexOf = function (this: unknown, ...args) {
    const found = indexOf?.apply(this, args) as number;
    add(passed(String(this), args[1], found));
    return found;
  };
  strings.lastIndexOf = function (this: unknown, ...args) {
    const found = lastIndexOf?.apply(this, args) as number;
    add(String(this).length - Math.max(0, found) + 1);
    return found;
  };
  for (const [name, method] of Object.entries({ trim, trimStart, trimEnd })) {
    strings[name] = function (this: unknown, ...args) {
      const rest = method?.apply(this, args) as string;
      add(String(this).length - rest.length + 1);
      return rest;
    };
  }
  strings.split = function (this: unknown, ...args) {
    add(String(this).length);
    return split?.apply(this, args);
  };
  patterns.exec = function (this: unknown, ...args) {
    const { lastIndex, global, sticky } = this as RegExp;
    const match = exec?.apply(this, args) as RegExpExecArray | null;
    const from = global || sticky ? lastIndex : 0;
    const text = String(args[0]);
    // A pattern that is tied to its place gives up at once.
    const tied = sticky || (this as RegExp).source.startsWith('^');
    add(match ? match.index + match[0].length - from + 1 : tied ? 1 : passed(text, from, -1));
    return match;
  };
  return () => {
    Object.assign(strings, { indexOf, lastIndexOf, trim, trimStart, trimEnd, split });
    Object.assign(patterns, { exec });
  };
}

/**
 * Counts from here on. It is never stopped: code that was compiled while nobody counted has no counters, and V8
 * compiles anew when it likes.
 */
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** How often blocks of files with `files` in their address ran since the last time this was asked. */
function takeCounts(files: string): number {
  let steps = 0;
  session.post('Profiler.takePreciseCoverage', (_, { result }: CoverageResult) => {
    for (const { url, functions } of result) {
      if (!url.includes(files)) continue;
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
    }
  });
  return steps;
}

/** The work of code whose file's address has `files` in it, in steps that mean nothing but compare with each other. */
export function countWork(files: string, run: () => void): number {
  let searched = 0;
  const unwrap = wrapSearches((units) => {
    searched += units;
  });
  try {
    takeCounts(files);
    run();
    return searched + takeCounts(files);
  } finally {
    unwrap();
  }
}
