import type { RawField } from './agent.ts';

type OnRaw = (field: RawField, delta: string) => void;

/**
 * A `fetch` that tells of the text in streamed replies before anything has worked on it. What it
 * passes on is byte for byte what it got.
 */
export function createRawTap(onRaw: OnRaw): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (!response.body || !isStream) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(createTap(onRaw)), { status, statusText, headers });
  };
}

function createTap(onRaw: OnRaw): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  /** A line that is not complete yet, in the pieces in which it arrived. */
  let open: string[] = [];
  return new TransformStream({
    transform(bytes, controller) {
      const [first = '', ...rest] = decoder.decode(bytes, { stream: true }).split('\n');
      open.push(first);
      for (const next of rest) {
        readLine(open.join(''), onRaw);
        open = [next];
      }
      controller.enqueue(bytes);
    },
  });
}

/** Reads one line of a stream; everything but the chunk of a reply is passed over. */
function readLine(line: string, onRaw: OnRaw): void {
  if (!line.startsWith('data:')) return;
  let chunk: ChunkLike;
  try {
    chunk = JSON.parse(line.slice('data:'.length)) as ChunkLike;
  } catch {
    return; // [DONE], or no JSON
  }
  const choice = chunk?.choices?.[0];
  const delta = choice?.delta;
  for (const field of ['reasoning_content', 'reasoning', 'content'] as const) {
    const text = delta?.[field];
    if (typeof text === 'string' && text !== '') onRaw(field, text);
  }
  if (typeof choice?.text === 'string' && choice.text !== '') onRaw('text', choice.text);
  for (const call of delta?.tool_calls ?? []) {
    const { name, arguments: json } = call?.function ?? {};
    if (name) onRaw('tool_calls', `\n${call.id ?? ''} ${name} `);
    if (json) onRaw('tool_calls', typeof json === 'string' ? json : JSON.stringify(json));
  }
  if (choice?.finish_reason) onRaw('finish_reason', choice.finish_reason);
}

/** The part of a chunk that is looked at; a server may send anything. */
interface ChunkLike {
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly text?: unknown;
    readonly delta?: Partial<Record<'content' | 'reasoning' | 'reasoning_content', unknown>> & {
      readonly tool_calls?: readonly {
        readonly id?: string;
        readonly function?: { readonly name?: string; readonly arguments?: unknown };
      }[];
    };
  }[];
}
