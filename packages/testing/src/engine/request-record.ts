import type { IncomingHttpHeaders } from 'node:http';

/** One request that reached the engine; its fields fill in while it is answered. */
export interface EngineRequest {
  /** In capitals. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON, the text if it is no JSON, `undefined` if there is none. */
  readonly body: unknown;
  /** The number of the turn that was asked for, from 0. Absent: no turn was. */
  readonly turn?: number;
  /** The status that was answered. Absent: none yet, or the connection was reset instead. */
  readonly status?: number;
  /** Why the request was refused: validation, an expectation, the script. */
  readonly error?: string;
  /** Events of the stream that were written, `[DONE]` included. */
  readonly eventsSent: number;
  /** The client went away before the answer was complete; `eventsSent` says when. */
  readonly aborted: boolean;
  /** The whole answer was written. */
  readonly finished: boolean;
}

/** The engine's own view of a record. */
export type RequestRecord = { -readonly [Field in keyof EngineRequest]: EngineRequest[Field] };
