/** What ends an event of a stream: the end of its last line and an empty one, in any of the three spellings. */
const EVENT_END = /((?:\r\n|\n|\r(?!\n)){2})/;

/** As long as the end of an event may be, less one: what has to be kept of a text to see one that is cut. */
const CUT_END = 3;

export interface SseCutter {
  /** Takes the next piece of a stream, and gives the events that are whole with it, each with its empty line. */
  push(text: string): string[];
  /** What is left behind the last event. */
  end(): string;
}

/** Cuts the text of a stream into events, in linear time however it comes; all of it is given out as it was. */
export function createSseCutter(): SseCutter {
  /** Of the event that is not whole yet. */
  let parts: string[] = [];
  let tail = '';
  return {
    push(text) {
      parts.push(text);
      const seen = tail + text;
      tail = seen.slice(-CUT_END);
      if (!EVENT_END.test(seen)) return [];
      const cut = parts.join('').split(EVENT_END);
      const left = cut.pop() ?? '';
      parts = [left];
      tail = left.slice(-CUT_END);
      return cut.flatMap((event, at) => (at % 2 === 0 ? [event + cut[at + 1]] : []));
    },
    end: () => parts.splice(0).join(''),
  };
}

/** What an event says: its lines of `data`, joined; empty if it has none. */
export function dataOf(event: string): string {
  return linesOf(event)
    .filter(isData)
    .map((line) => line.slice('data:'.length))
    .join('\n');
}

/** The event with other data, which are one line; whatever else it says stays. */
export function withData(event: string, data: string): string {
  const rest = linesOf(event).filter((line) => line !== '' && !isData(line));
  return [...rest, `data: ${data}`, '', ''].join('\n');
}

function linesOf(event: string): string[] {
  return event.split(/\r\n|\n|\r/);
}

function isData(line: string): boolean {
  return line.startsWith('data:');
}
