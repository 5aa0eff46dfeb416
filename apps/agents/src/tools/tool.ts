/** Something the model can call. */
export interface Tool {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Record<string, unknown>;
  /**
   * @param args the arguments as they came, an object
   * @throws ToolError with a text that helps the model to do better
   */
  run(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolOutput>;
}

export interface ToolOutput {
  /** What the model gets. */
  readonly text: string;
  /** What it was, in a few words, for people. */
  readonly summary: string;
}

/** A call went wrong in a way the model is told about. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';
}
